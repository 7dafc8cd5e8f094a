"""What things cost: `python -m benchmarks` runs everything, `python -m benchmarks oracle --quick` a taste of one."""
