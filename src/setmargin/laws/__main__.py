"""`python -m setmargin.laws package.module:Class`: the laws tried on a strategy, with a report.

The exit code is 0 where all laws are obeyed, 1 where one is not, and 2 where there is no such strategy.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence

from setmargin.errors import SetmarginError
from setmargin.laws.report import LawResult, find_strategy, maker, try_laws


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m setmargin.laws", description="Try the laws that every strategy obeys on one of your own."
    )
    parser.add_argument("strategy", metavar="MODULE:CLASS", help="where its class is, or the name of a known strategy")
    parser.add_argument(
        "--option", action="append", default=[], metavar="NAME=VALUE", help="an option of the strategy; repeatable"
    )
    parser.add_argument("--json", action="store_true", help="print one JSON document instead of a line a law")
    said = parser.parse_args(arguments)
    try:
        results = try_laws(maker(find_strategy(said.strategy), tuple(said.option)))
        found = list(results) if said.json else [_shown(result) for result in results]
    except SetmarginError as error:
        print(f"setmargin.laws: {error}", file=sys.stderr)
        return 2
    broken = sum(not result.obeyed for result in found)
    if said.json:
        document = {"strategy": said.strategy, "broken": broken, "laws": [result.document() for result in found]}
        print(json.dumps(document, indent=2, ensure_ascii=False))
    else:
        print(f"{said.strategy} {f'breaks {broken}' if broken else 'obeys all'} of {len(found)} laws")
    return 1 if broken else 0


def _shown(result: LawResult) -> LawResult:
    print(f"{'obeyed' if result.obeyed else 'BROKEN'}  {result.law} ({result.seconds:.1f} s)", flush=True)
    if not result.obeyed:
        print(f"        {result.says}\n        seen: {result.seen}", flush=True)
    return result


if __name__ == "__main__":
    sys.exit(main())
