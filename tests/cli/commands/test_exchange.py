"""`setmargin import` and `setmargin export`, as an owner would use them."""

from __future__ import annotations

from pathlib import Path

from setmargin.solve.oracle import oracle_for
from setmargin.space.catalogue import load
from tests.cli.running import Shell

LAMPS = """\
sku,name,url,kind,light,price
A1,Lux,https://shop.example/a1,desk,400,29.9
A2,Lux plus,https://shop.example/a2,desk,800,39.9
A3,Tall,https://shop.example/a3,floor,800,55
"""
LAMP_MODEL = """\
features
    Lamp
        mandatory
            Kind
                alternative
                    Desk {price 20}
                    Floor {price 45}
        optional
            Dimmer {price 8}
constraints
    Dimmer => Floor
"""


def test_a_table_is_imported_checked_asked_about_and_exported(shell: Shell, tmp_path: Path) -> None:
    table, target = tmp_path / "lamps.csv", tmp_path / "lamps.yaml"
    table.write_text(LAMPS, encoding="utf-8")
    found = shell("import", table, "--json").document
    assert (found["file"], found["items"], found["quantities"]) == (str(target), 3, 1)
    assert load(target).items == load(table).items
    again = shell("import", table)
    assert (again.code, "--force" in again.err) == (2, True)
    report = shell("check", table, "--json").document
    assert report["items"]["columns"]["price"].startswith("quantity: a number for every item, lower")
    assert report["items"]["count"] == report["configurations"] == 3
    asked = shell("interview", target, "--questions", "1", typed="1\n").out
    assert "(A" in asked
    assert "https://shop.example/a" in asked
    assert shell("export", target, "-o", tmp_path / "again.csv").code == 0
    assert (tmp_path / "again.csv").read_text("utf-8") == LAMPS


def test_a_feature_model_is_imported_whole_or_not_at_all(shell: Shell, tmp_path: Path) -> None:
    model = tmp_path / "lamp.uvl"
    model.write_text(LAMP_MODEL, encoding="utf-8")
    assert shell("import", model, "-o", "-").out.startswith("# Made by setmargin import of lamp.uvl")
    assert shell("import", model).code == 0
    assert shell("export", tmp_path / "lamp.yaml", "-o", tmp_path / "out.uvl").code == 0
    assert shell("import", tmp_path / "out.uvl").code == 0
    assert oracle_for(load(tmp_path / "out.yaml")).count() == 3
    broken = tmp_path / "broken.uvl"
    broken.write_text(LAMP_MODEL.replace("alternative", "xor"), encoding="utf-8")
    failed = shell("import", broken)
    assert failed.code == 2
    assert f"{broken}:5: no UVL from here on: 'xor'" in failed.err
    assert not (tmp_path / "broken.yaml").exists()
    assert "neither .uvl nor .csv" in shell("export", "pc", "-o", tmp_path / "pc.txt").err
