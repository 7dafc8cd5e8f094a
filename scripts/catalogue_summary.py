"""Write what `setmargin catalogues` says of the catalogues that come with the package; a test says when to do so."""

from __future__ import annotations

import json
from pathlib import Path

from setmargin.cli.commands.check import SUMMARY, describe_catalogue
from setmargin.space.catalogue import shipped

TARGET = Path(__file__).parents[1] / "src" / "setmargin" / "catalogues" / SUMMARY

if __name__ == "__main__":
    text = json.dumps([describe_catalogue(name) for name in shipped()], indent=1, ensure_ascii=False)
    TARGET.write_text(text + "\n", encoding="utf-8")
