"""One HTML file that shows a fitted tree, its proof and its errors, and lets the reader try it."""

from exactree.report.page import write_report

__all__ = ["write_report"]
