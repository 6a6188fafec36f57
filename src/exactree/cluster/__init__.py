"""A search on several processes or machines, and from one run to the next.

A coordinator holds the frontier of the search, and asks anybody for open pieces: executors of the
standard library, Dask, threads. What comes back are claims, which a ledger keeps in a file.
"""
