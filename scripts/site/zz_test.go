package main

import (
	"os"
	"strings"
	"testing"
)

func TestQuestions(t *testing.T) {
	raw, err := os.ReadFile("/tmp/questions.txt")
	if err != nil {
		t.Skip()
	}
	tab := open(t, "index.html", 1280, 900, "light")
	for _, q := range strings.Split(strings.TrimSpace(string(raw)), "\n") {
		tab.visit("index.html")
		tab.expect(`document.readyState`, "complete")
		tab.text(`(document.getElementById("search").value = ` + "`" + q + "`" + `, document.getElementById("search").dispatchEvent(new Event("input")))`)
		tab.expect(`document.querySelector("#results").hidden`, "false")
		t.Logf("%s\n%s", q, tab.text(`document.querySelector("#count").textContent + "\n" + [...document.querySelectorAll("#results a")].slice(0, 6).map((a) => "   " + a.querySelector("strong").textContent + " | " + a.querySelector("small").textContent + " | " + a.querySelector(".excerpt").textContent.slice(0, 110)).join("\n")`))
	}
}
