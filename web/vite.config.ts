// Builds what is inlined into report.html: one script and one style sheet, under fixed names,
// and the hash by which a page allows this script and no other.
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { defineConfig, type Plugin } from "vite";

const licence = readFileSync("node_modules/uplot/LICENSE", "utf8").trim();

function scriptHash(): Plugin {
  return {
    name: "script-hash",
    writeBundle({ dir = "dist" }) {
      const script = readFileSync(join(dir, "report.js"));
      const hash = createHash("sha256").update(script).digest("base64");
      writeFileSync(join(dir, "report.hash"), `sha256-${hash}`);
    },
  };
}

export default defineConfig({
  plugins: [scriptHash()],
  build: {
    outDir: "dist",
    emptyOutDir: true,
    target: "es2022",
    lib: {
      entry: "report/main.ts",
      formats: ["iife"],
      name: "neardupeReport",
      fileName: () => "report.js",
      cssFileName: "report",
    },
    rolldownOptions: {
      // The licence of the charts asks for its text to stay with them.
      output: { postBanner: `/*! uPlot\n${licence}\n*/` },
    },
  },
});
