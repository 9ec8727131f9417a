#!/usr/bin/env python3
"""Connects a running "lethe serve" to a running Label Studio, and looks at its predictions in a browser.

    pip install requests playwright
    scripts/clients/label_studio.py http://127.0.0.1:8080 http://127.0.0.1:18080 TOKEN EMAIL PASSWORD PICTURES

It makes a project of invented notes, connects the backend, retrieves predictions, compares what the page highlights with
the texts of the spans, corrects one prediction with the mouse, and exports. It fails if anything is not where it should be.
Label Studio needs LABEL_STUDIO_ENABLE_LEGACY_API_TOKEN=true for the token of its command line; the README says more.
"""

import json
import os
import sys

import requests
from playwright.sync_api import sync_playwright

from texts import NOTES

LETHE, STUDIO, TOKEN, EMAIL, PASSWORD, PICTURES = sys.argv[1:]
CONFIG = """<View>
  <Labels name="label" toName="text">
    <Label value="PERSON" background="red"/><Label value="DATE" background="blue"/><Label value="HOSPITAL" background="green"/>
  </Labels>
  <Text name="text" value="$text"/>
</View>"""
HIGHLIGHTS = """() => {
  const all = {};
  for (const e of document.querySelectorAll('.htx-highlight')) {
    const id = [...e.classList].find(c => /^htx-highlight-.*[0-9]$/.test(c));
    all[id] = (all[id] || '') + e.textContent;
  }
  return Object.values(all);
}"""

session = requests.Session()
session.headers["Authorization"] = "Token " + TOKEN


def call(method, path, **kwargs):
    answer = session.request(method, STUDIO + path, **kwargs)
    assert answer.ok, f"{method} {path}: {answer.status_code} {answer.text[:500]}"
    return answer.json() if answer.content else None


def project():
    """Makes a project with a task for each note and returns its ID and those of the tasks by the names of the notes."""
    number = call("POST", "/api/projects", json={"title": "Lethe", "label_config": CONFIG})["id"]
    call("POST", f"/api/projects/{number}/import", json=[{"data": {"text": text, "note": name}} for name, text in NOTES.items()])
    tasks = call("GET", f"/api/tasks?project={number}&page_size=100&fields=all")["tasks"]
    return number, {t["data"]["note"]: t["id"] for t in tasks}


def connect(number):
    wrong = session.post(STUDIO + "/api/ml", json={"project": number, "url": LETHE + "/label-studio/none", "title": "none"})
    assert not wrong.ok, "a model that does not exist was connected"
    backend = call("POST", "/api/ml", json={"project": number, "url": LETHE + "/label-studio", "title": "Lethe"})
    print("connected:", backend["readable_state"], call("GET", f"/api/ml/{backend['id']}/versions"))
    call("POST", f"/api/dm/actions?id=retrieve_tasks_predictions&project={number}",
         json={"selectedItems": {"all": True, "excluded": []}})


def check_predictions(number, tasks):
    """Returns the regions of each task, after checking that they cut their texts in code points."""
    regions = {}
    for name, task in tasks.items():
        found = call("GET", f"/api/tasks/{task}")["predictions"]
        assert len(found) == 1, f"{name}: {len(found)} predictions"
        regions[name] = found[0]["result"]
        for r in regions[name]:
            v = r["value"]
            assert NOTES[name][v["start"]:v["end"]] == v["text"], f"{name}: {v}"
        assert regions[name] or name in ("nothing", "empty"), f"{name}: nothing was found"
        print(f"{name:14} {found[0]['model_version']} {found[0]['score']:.2f} "
              + ", ".join(f"{'/'.join(r['value']['labels']) or '-'} {r['value']['text']!r}" for r in regions[name]))
    return regions


def plain(text):
    """The text as a page shows it: with line ends as elements."""
    return "".join(c for c in text if c not in "\r\n\ufeff")


def look(page, number, tasks, regions):
    for name, task in tasks.items():
        page.goto(f"{STUDIO}/projects/{number}/data?task={task}")
        if regions[name]:
            page.wait_for_selector(".htx-highlight", timeout=30_000)
        page.wait_for_timeout(700)
        page.screenshot(path=os.path.join(PICTURES, f"label-studio-{name.replace(' ', '-')}.png"))
        shown, want = sorted(map(plain, page.evaluate(HIGHLIGHTS))), sorted(plain(r["value"]["text"]) for r in regions[name])
        assert shown == want, f"{name}: the page highlights {shown}, not {want}"
    print("the page highlights what was found in all", len(tasks), "tasks")


def annotate(page, number, task):
    """Marks the word "Patient" behind two emoji with the mouse and submits."""
    page.goto(f"{STUDIO}/projects/{number}/data?task={task}")
    page.wait_for_selector(".htx-highlight", timeout=30_000)
    page.keyboard.press("3")  # the label HOSPITAL
    box = page.evaluate("""() => {
      const walk = document.createTreeWalker(document.querySelector('.htx-richtext, [class*=richtext]'), NodeFilter.SHOW_TEXT);
      for (let n; n = walk.nextNode();) {
        const at = n.data.indexOf('Patient');
        if (at >= 0) { const r = document.createRange(); r.setStart(n, at); r.setEnd(n, at + 7); const b = r.getBoundingClientRect(); return [b.left, b.top, b.right, b.bottom]; }
      }
    }""")
    page.mouse.dblclick((box[0] + box[2]) / 2, (box[1] + box[3]) / 2)
    page.wait_for_timeout(500)
    page.screenshot(path=os.path.join(PICTURES, "label-studio-annotated.png"))
    page.get_by_role("button", name="Submit").click()
    page.wait_for_timeout(1500)


def check_export(number, task, regions):
    """Compares the annotation with the prediction that it started from."""
    exported = call("GET", f"/api/projects/{number}/export?exportType=JSON")
    (annotation,) = [a for t in exported if t["id"] == task for a in t["annotations"]]
    values = [(v["start"], v["end"], v["text"], v.get("labels")) for v in (r["value"] for r in annotation["result"])]
    text = NOTES["emoji"]
    for start, end, quote, _ in values:
        assert text[start:end] == quote, (start, end, quote)
    added = [v for v in values if v[2] == "Patient"]
    assert added and added[0][3] == ["HOSPITAL"], values
    assert len(values) == len(regions) + 1, values
    print("exported:", values)
    for kind in ("JSON", "JSON_MIN"):
        with open(os.path.join(PICTURES, f"export-{kind}.json"), "w") as f:
            json.dump(call("GET", f"/api/projects/{number}/export?exportType={kind}&download_all_tasks=true"), f)


def main():
    os.makedirs(PICTURES, exist_ok=True)
    print("Label Studio", call("GET", "/api/version")["release"])
    number, tasks = project()
    connect(number)
    regions = check_predictions(number, tasks)
    with sync_playwright() as p:
        browser = p.chromium.launch(executable_path=os.environ.get("CHROMIUM", "/usr/bin/chromium"), args=["--no-sandbox"])
        page = browser.new_context(viewport={"width": 1280, "height": 900}).new_page()
        page.goto(STUDIO + "/user/login/")
        page.fill("input[name=email]", EMAIL)
        page.fill("input[name=password]", PASSWORD)
        page.click("button[type=submit]")
        page.wait_for_load_state()
        look(page, number, tasks, regions)
        annotate(page, number, tasks["emoji"])
        browser.close()
    check_export(number, tasks["emoji"], regions["emoji"])


main()
