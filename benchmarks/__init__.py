"""Timings and experiments, side by side with other solvers: python -m benchmarks --help."""
