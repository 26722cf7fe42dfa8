// The page of passages in a real browser: links lead from one side to the other, with a script
// and without, in light and dark, on wide and narrow screens.
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fits, folder, open, picture, run } from "./browser.mjs";

const ATTACK = `</script><script>document.title="taken";alert(1)</script><img src=x onerror=alert(2)>`;

/** Sentences of eight words that no other number has. */
function sentences(number, count) {
  const word = (sentence, at) => `w${(number * 7919 + sentence * 97 + at * at * 31) % 10007}`;
  return Array.from({ length: count }, (_, sentence) => {
    const words = Array.from({ length: 8 }, (_, at) => word(sentence, at));
    return `The ${words.join(" ")}.`;
  }).join(" ");
}

/** Two documents with two passages in common, in another order, one of them edited. */
function collection(name, attack = "") {
  const [one, two] = [sentences(50, 12), sentences(51, 9)];
  const edited = two.replace(/The (\S+) \S+/g, "The $1 changed");
  const texts = [
    `${sentences(1, 60)} ${attack} ${one} ${sentences(2, 60)} ${two} ${sentences(3, 60)}`,
    `${sentences(4, 60)} ${edited} ${sentences(5, 60)} ${one} ${attack} ${sentences(6, 60)}`,
    `${sentences(7, 30)}`,
  ];
  const lines = texts.map((text, number) => JSON.stringify({ id: `${attack}doc-${number}`, text }));
  const input = join(folder, `${name}.jsonl`);
  writeFileSync(input, `${lines.join("\n")}\n`);
  return input;
}

const passages = (name, ...args) => run("passages", name, ...args);

/** Whether an element is in sight, in the page and in the box that it is scrolled in. */
async function isInSight(locator) {
  return locator.evaluate((element) => {
    const place = element.getBoundingClientRect();
    const box = element.closest(".text").getBoundingClientRect();
    return (
      place.top >= Math.max(0, box.top) &&
      place.bottom <= Math.min(innerHeight, box.bottom) &&
      place.left >= 0
    );
  });
}

for (const [scheme, width] of [
  ["light", 1200],
  ["dark", 1200],
  ["light", 400],
  ["dark", 400],
]) {
  test(`passages side by side, ${scheme}, ${width} pixels`, async () => {
    const name = `passages-${scheme}-${width}`;
    await open(
      passages(name, collection(name)),
      async (page) => {
        assert.match(await page.locator(".lead").innerText(), /^3 documents share 2 passages/);
        await fits(page);
        assert.equal(await page.locator("svg.plot").count(), 1);
        assert.equal(await page.locator("svg.plot .line").count(), 2);
        // What is read can be told from what is behind it.
        const colors = await page.locator("mark.passage").first().evaluate((mark) => {
          const style = getComputedStyle(mark);
          const box = getComputedStyle(mark.closest(".text"));
          return [style.color, style.backgroundColor, box.backgroundColor];
        });
        assert.equal(new Set(colors).size, 3);
        assert.ok((await page.locator("mark.passage u").count()) > 0);
        await picture(page, name);
      },
      { scheme, width },
    );
  });
}

for (const script of [true, false]) {
  test(`links lead to the other side, ${script ? "with" : "without"} a script`, async () => {
    const name = `links-${script}`;
    await open(
      passages(name, collection(name)),
      async (page) => {
        await page.locator("#pairs ~ .wide a").first().click();
        assert.match(page.url(), /#pair-1$/);
        await page.locator("#s1-l2").click();
        assert.match(page.url(), /#s1-r2$/);
        assert.ok(await isInSight(page.locator("#s1-r2")));
        await page.locator("#s1-r1").click();
        assert.match(page.url(), /#s1-l1$/);
        assert.ok(await isInSight(page.locator("#s1-l1")));
        // From the table of passages; a script shows both sides.
        await page.locator(".passages a.number").nth(1).click();
        assert.ok(await isInSight(page.locator("#s1-l2")));
        if (script) assert.ok(await isInSight(page.locator("#s1-r2")));
      },
      { script },
    );
  });
}

test("documents that attack the reader of passages", async () => {
  await open(passages("attack-passages", collection("attack-passages", ATTACK)), async (page) => {
    assert.match(await page.title(), /^neardupe passages/);
    assert.equal(await page.locator("img, main script, main style").count(), 0);
    assert.ok((await page.locator("mark.passage").count()) > 0);
    await picture(page, "attack-passages");
  });
});

test("no passage at all", async () => {
  const input = join(folder, "none.jsonl");
  writeFileSync(input, `${JSON.stringify({ id: "alone", text: sentences(1, 9) })}\n`);
  await open(passages("none", input), async (page) => {
    assert.match(await page.locator(".lead").innerText(), /^No passage is shared/);
    assert.equal(await page.locator("svg, .chart").count(), 0);
    await picture(page, "no-passages");
  });
});
