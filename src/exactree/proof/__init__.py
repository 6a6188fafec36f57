"""Proofs that anyone can check: certificates of optimality, and what they say in words.

`certify` writes one, `check` compares it with the data. The checker, `checking.py`, imports nothing
of exactree: it can be copied out and run alone. docs/certificates.md describes the format.
"""

from exactree.proof.certifying import certify, refuse_certificate, refuse_problem
from exactree.proof.checking import Rejected
from exactree.proof.statement import Proved, Statement, check, read_statement

__all__ = [
    "Proved",
    "Rejected",
    "Statement",
    "certify",
    "check",
    "read_statement",
    "refuse_certificate",
    "refuse_problem",
]
