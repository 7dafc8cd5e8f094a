"""A small catalogue that says everything that people may see."""

from __future__ import annotations

SVG = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 8 8"><circle cx="4" cy="4" r="3"/></svg>'
PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="

CHAIR = f"""
catalogue: chair
languages: [en, de]
title: {{en: Find your chair, de: Finde deinen Stuhl}}
description: {{en: Chairs., de: Stühle.}}
theme:
  name: {{en: Sit & Co, de: Sitz & Co}}
  logo: '{f"data:image/png;base64,{PNG}"}'
  accent: "#1d4f91"
action:
  text: {{en: Into the basket, de: In den Warenkorb}}
  link: https://shop.example/basket?wood={{wood}}&legs={{legs}}&price={{price}}
groups:
  - {{title: {{en: Looks, de: Aussehen}}, members: [wood, price]}}
opening:
  use:
    title: {{en: What is it for?, de: Wofür ist er?}}
    help: {{en: You can skip this., de: Du kannst das überspringen.}}
    answers:
      desk: {{title: {{en: Work, de: Arbeiten}}, require: arms = "yes", matters: [comfort]}}
      party:
        title: {{en: Guests, de: Gäste}}
        require: [price <= 80, legs = 4]
        matters: {{price: 0.9, comfort: 0.2}}
      any: {{title: Anything}}
attributes:
  wood:
    title: {{en: Wood, de: Holz}}
    help: {{en: What it is made of., de: Woraus er ist.}}
    image: 'data:image/svg+xml,{SVG}'
    values:
      - {{value: oak, title: {{en: Oak, de: Eiche}}, help: Heavy., image: 'data:image/svg+xml,{SVG}'}}
      - beech
      - {{value: none, title: {{en: no wood, de: kein Holz}}}}
  legs: [3, {{value: 4, help: Stands well.}}]
  arms: {{values: ["yes", "no"], unit: {{en: arms, de: Lehnen}}}}
quantities:
  price:
    currency: EUR
    decimals: 0
    better: lower
    base: 20
    sum:
      wood: {{oak: 50, beech: 30, none: 10}}
      legs: 5
      arms: {{"yes": 25, "no": 0}}
  comfort:
    title: Comfort
    sum: {{arms: {{"yes": 2, "no": 1}}}}
rules:
  - wood = none => legs = 4
"""
