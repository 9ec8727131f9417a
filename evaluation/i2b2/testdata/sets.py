"""What Python's sets make of an equality that is not transitive.

Writes sets.json: cases of [gold, system, [TP, FP, FN]], a side being tags of
[group, end]. Two tags are equal when their group is and their ends lie at most 2
apart. Cases in which the outcome hangs on the hashes, which are random in each
run of Python, are left out.
"""
import json
import random


class Tag:
    def __init__(self, salt, group, end):
        self.salt, self.group, self.end = salt, group, end

    def __eq__(self, other):
        return self.group == other.group and abs(self.end - other.end) <= 2

    def __hash__(self):
        return hash((self.salt, self.group))


def counts(gold, system, salt):
    g = {Tag(salt, *t) for t in gold}
    s = {Tag(salt, *t) for t in system}
    return [len(g.intersection(s)), len(s - g), len(g - s)]


random.seed(2014)
cases, chance = [], 0
while len(cases) < 600:
    most = random.choice([(3, 3), (8, 8), (1, 14), (14, 1), (2, 24), (24, 2)])
    gold, system = (
        [[random.randrange(3), random.randrange(random.choice([6, 12, 30]))] for _ in range(random.randint(0, n))]
        for n in most
    )
    outcomes = [counts(gold, system, random.random()) for _ in range(50)]
    if any(o != outcomes[0] for o in outcomes):
        chance += 1
        continue
    cases.append([gold, system, outcomes[0]])
with open("sets.json", "w") as f:
    f.write("[\n" + ",\n".join(json.dumps(c, separators=(",", ":")) for c in cases) + "\n]\n")
plain = 0
for gold, system, (tp, fp, fn) in cases:
    def fuzzy(tags):
        kept = []
        for t in tags:
            if not any(t[0] == k[0] and abs(t[1] - k[1]) <= 2 for k in kept):
                kept.append(t)
        return kept
    g, s = fuzzy(gold), fuzzy(system)
    un = lambda a, b: sum(not any(t[0] == k[0] and abs(t[1] - k[1]) <= 2 for k in b) for t in a)
    plain += (fp, fn) != (un(s, g), un(g, s))
print(len(cases), "cases;", chance, "left to chance;", plain, "in which unmatched members alone would be wrong")
