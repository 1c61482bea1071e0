"""What a library has: each probe calls it, or looks through its public names.

A probe takes the name of a library and a sample of real correlation matrices, and
returns the entry of a table.
"""
