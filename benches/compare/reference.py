"""The Python reference on the workload of main.rs: seconds for a run of so many calls.

usage: reference.py CALLS..    (formulas, one a line, on standard input)
"""

import sys
import time

from agentltl import Constraint, parse
from agentltl.enforcer import Enforcer

formulas = [parse(line) for line in sys.stdin if line.strip()]
for count in map(int, sys.argv[1:]):
    enforcer = Enforcer([Constraint(f"c{i}", f, 1.0) for i, f in enumerate(formulas)])
    start = time.perf_counter()
    for i in range(count):
        tool = f"t{i % 10}"
        if not enforcer.check(tool, {}).allowed:
            raise SystemExit(f"call {i} was refused")
        enforcer.record_completed(tool, {}, result="ok")
    print(count, time.perf_counter() - start, flush=True)
