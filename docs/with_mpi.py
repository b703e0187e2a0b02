"""Learn from files of one table with MPI: each process absorbs its own.

    mpiexec -n 2 python with_mpi.py price model.json january.csv february.csv march.csv

The model is that of all rows, and has the same bits for any number of processes. Needs mpi4py.
"""

import sys

import pandas as pd
from halfseen import Partial
from mpi4py import MPI

target, out, *files = sys.argv[1:]
world = MPI.COMM_WORLD
sums = Partial("ridge", target)
for file in files[world.rank :: world.size]:
    sums.absorb(pd.read_csv(file, chunksize=100_000), part=file)
gathered = world.gather(sums)
if world.rank == 0:
    first, *others = gathered
    for other in others:
        first.merge(other)
    first.finish().save(out)
    print(f"{first.n_rows} rows of {len(first.parts)} files, {world.size} processes: {out}")
