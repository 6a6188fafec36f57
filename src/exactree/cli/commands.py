"""The parser, and what becomes of errors."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence

import exactree
from exactree.cli import checking, comparing, counts, demonstration, fitting, predicting, watching
from exactree.cli.output import BAD_INPUT, DONE, EXIT_CODES, INTERRUPTED, Output
from exactree.suggesting import did_you_mean


def parser() -> argparse.ArgumentParser:
    """Describe the command line."""
    found = argparse.ArgumentParser(
        prog="exactree",
        description="Provably optimal decision trees, for any splitting rule.",
        epilog=EXIT_CODES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    found.add_argument("--version", action="version", version=f"exactree {exactree.__version__}")
    commands = found.add_subparsers(dest="command", required=True, metavar="command")
    for module in (fitting, watching, checking, predicting, counts, comparing, demonstration):
        module.add(commands)
    for command in commands.choices.values():
        command.add_argument(
            "--json", action="store_true", help="one JSON object on standard output"
        )
        command.add_argument("--quiet", action="store_true", help="no progress and no notes")
    return found


def parsed(arguments: Sequence[str] | None) -> argparse.Namespace:
    """Read the command line; of an option that is not known, say what may be meant."""
    whole = parser()
    args, unknown = whole.parse_known_args(arguments)
    if unknown:
        command = next(a for a in whole._actions if isinstance(a.choices, dict))
        assert isinstance(command.choices, dict)
        known = command.choices[args.command]._option_string_actions
        name = unknown[0].partition("=")[0]
        whole.error(f"unrecognized arguments: {' '.join(unknown)}{did_you_mean(name, known)}")
    return args


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command and give its exit status."""
    args = parsed(arguments)
    output = Output(as_json=args.json, quiet=args.quiet)
    try:
        status = args.run(args, output)
        sys.stdout.flush()
    except BrokenPipeError:
        # The reader, head for example, has seen enough: no traceback at the end either.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return DONE
    except KeyboardInterrupt:
        output.error("interrupted before there was a tree")
        return INTERRUPTED
    except OSError as error:
        output.error(f"{error.filename}: {error.strerror}" if error.filename else str(error))
        return BAD_INPUT
    except ValueError as error:
        output.error(str(error))
        return BAD_INPUT
    return int(status)
