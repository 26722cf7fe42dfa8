// Passages side by side. Links from one side to the other work without this; with it both sides
// are brought to the same height, wherever a link to a passage comes from.

/** The place of a passage on one side of a pair. */
const PLACE = /^s(\d+)-([lr])(\d+)$/;

/** Shows a passage that a link led to on the other side too, at the same height. */
function showBothSides(): void {
  const [, pair, side, number] = PLACE.exec(location.hash.slice(1)) ?? [];
  if (!pair) return;
  const here = document.getElementById(`s${pair}-${side}${number}`);
  const there = document.getElementById(`s${pair}-${side === "l" ? "r" : "l"}${number}`);
  const box = here?.closest(".text");
  const otherBox = there?.closest(".text");
  if (!here || !there || !box || !otherBox) return;
  const height = (element: Element, within: Element) =>
    element.getBoundingClientRect().top - within.getBoundingClientRect().top;
  otherBox.scrollTop += height(there, otherBox) - height(here, box);
}

export function followPassages(): void {
  addEventListener("hashchange", showBothSides);
  showBothSides();
}
