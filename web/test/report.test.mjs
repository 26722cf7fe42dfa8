// The report in a real browser: charts are drawn, a difference opens, nothing is loaded,
// nothing that documents hold is run, no error is told.
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fits, folder, open, picture, pictures, run } from "./browser.mjs";

const find = (name, ...args) => run("find", name, ...args);

/** Whether anything in a chart has a colour: axes are grey, bars are not. */
async function hasColor(page, chart) {
  return page.evaluate((id) => {
    const canvas = document.querySelector(`#${id} canvas`);
    const pixels = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data;
    for (let at = 0; at < pixels.length; at += 4) {
      const [r, g, b, a] = pixels.slice(at, at + 4);
      if (a > 250 && Math.max(r, g, b) - Math.min(r, g, b) > 60) return true;
    }
    return false;
  }, chart);
}

for (const scheme of ["light", "dark"]) {
  test(`a real collection, ${scheme}: charts are drawn and a difference opens`, async () => {
    const path = find(`pages-${scheme}`, "examples/pages");
    await open(
      path,
      async (page) => {
        assert.match(await page.locator(".lead").innerText(), /^220 of 383 documents/);
        for (const chart of ["similarities", "cluster-sizes", "document-sizes"]) {
          assert.ok(await hasColor(page, chart), chart);
        }
        await picture(page, `pages-${scheme}`);
        const diff = page.locator(".cluster details.diff").first();
        assert.equal(await diff.locator(".rows").isVisible(), false);
        await diff.locator("summary").click();
        await diff.locator(".rows").waitFor({ state: "visible" });
        assert.ok((await diff.locator("ins, del").count()) > 0);
        const [ink, paper] = await diff.evaluate((element) => {
          const style = getComputedStyle(document.body);
          return [getComputedStyle(element).color, style.backgroundColor];
        });
        assert.notEqual(ink, paper);
        await diff.scrollIntoViewIfNeeded();
        if (pictures) await page.screenshot({ path: join(pictures, `diff-${scheme}.png`) });
      },
      { scheme },
    );
  });
}

test("the similarity under the pointer is told", async () => {
  await open(find("hover", "examples/pages"), async (page) => {
    const over = page.locator("#similarities .u-over");
    await over.scrollIntoViewIfNeeded();
    const box = await over.boundingBox();
    await page.mouse.move(box.x + box.width * 0.985, box.y + box.height / 2);
    const legend = page.locator("#similarities .u-legend");
    await assert.doesNotReject(legend.getByText("71", { exact: true }).waitFor());
  });
});

test("a link from the head opens what is folded", async () => {
  await open(find("links", "examples/pages"), async (page) => {
    await page.getByRole("link", { name: "What the words mean" }).click();
    await page.getByText("The smallest similarity that counts.").waitFor({ state: "visible" });
  });
});

test("on paper it is light, whole and without what can only be clicked", async () => {
  await open(
    find("paper", "examples/pages"),
    async (page) => {
      const pdf = await page.pdf({ format: "A4", path: pictures && join(pictures, "paper.pdf") });
      assert.ok(pdf.length > 20_000);
      // What was changed for paper is changed back.
      assert.equal(await page.locator("html.paper").count(), 0);
      assert.equal(await page.locator("details.print[open]").count(), 0);
    },
    { scheme: "dark" },
  );
});

test("a narrow screen does not scroll sideways", async () => {
  await open(
    find("narrow", "examples/pages"),
    async (page) => {
      await fits(page);
      await picture(page, "narrow");
    },
    { width: 390 },
  );
});

test("an empty collection", async () => {
  const input = join(folder, "empty.jsonl");
  writeFileSync(input, "");
  await open(find("empty", input), async (page) => {
    assert.equal(await page.locator(".lead").innerText(), "There was no document to read.");
    assert.equal(await page.locator(".chart").count(), 0);
    await picture(page, "empty");
  });
});

test("documents that attack the reader", async () => {
  const attack = `</script><script>document.title="taken";alert(1)</script><img src=x onerror=alert(2)>`;
  const words = Array.from({ length: 80 }, (_, at) => `word${at}`).join(" ");
  const lines = [0, 1, 2].map((number) =>
    JSON.stringify({
      id: `${attack}${number}`,
      url: `http://h${number}.example/"onmouseover="alert(3)`,
      text: `${words} ${attack} ${number} <style>body{display:none}</style>`,
    }),
  );
  const input = join(folder, "attack.jsonl");
  writeFileSync(input, `${lines.join("\n")}\n`);
  await open(find("attack", input), async (page) => {
    for (const diff of await page.locator("details.diff > summary").all()) await diff.click();
    assert.match(await page.title(), /^neardupe report/);
    assert.equal(await page.locator("img, main script, main style").count(), 0);
    assert.ok(await page.locator(".rows").first().isVisible());
    await picture(page, "attack");
  });
});

// Large collections are made elsewhere: REPORTS names their reports, with colons between.
const reports = process.env.REPORTS?.split(":") ?? [];
for (const path of reports) {
  test(`${path}: opens without an error`, async () => {
    await open(path, async (page) => {
      const diffs = page.locator("details.diff > summary");
      if ((await diffs.count()) > 0) await diffs.first().click();
      await picture(page, path.split("/").at(-2));
    });
  });
}
