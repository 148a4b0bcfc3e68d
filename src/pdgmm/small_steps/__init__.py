"""One process that serves many small steps.

A score takes hundredths of a second, starting Python and importing what it needs takes a second. While a study runs
on one machine, a process stands by that has all of that imported (:mod:`.serving`). The command of a small step asks
it (:mod:`.asking`), it forks, and the fork does the step as the command would have done it: in the command's folder
and environment, with its streams. So each step stays a job of its own, with its log and its exit code, and a change
runs exactly what depends on it again. Where nobody serves, the command does the step itself.
"""
