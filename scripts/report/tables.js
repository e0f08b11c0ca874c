// Tables that sort by a press on a head, and a word where a table goes on beyond the edge of the screen.
"use strict";
(() => {
  const heat = (table) => table.classList.contains("heat");

  // What a cell is sorted by: its number if it has one, else its text. Cells without a value come last.
  function key(cell) {
    if (cell.dataset.v !== undefined) return Number(cell.dataset.v);
    const text = cell.textContent.trim(), number = Number(text);
    if (text === "" || text === "–" || text === "·") return null;
    return Number.isFinite(number) ? number : text.toLowerCase();
  }

  function compare(a, b, down) {
    if (a === null || b === null) return (a === null) - (b === null);
    const order = typeof a === "number" && typeof b === "number" ? a - b : String(a).localeCompare(String(b), "en", { numeric: true });
    return down ? -order : order;
  }

  function sort(table, column, down) {
    const body = table.tBodies[0];
    const rows = [...body.rows].map((row) => ({ row, key: key(row.cells[column]) }));
    rows.sort((a, b) => compare(a.key, b.key, down));
    body.append(...rows.map((one) => one.row));
    [...table.tHead.rows[0].cells].forEach((cell, k) => {
      if (k === column) cell.setAttribute("aria-sort", down ? "descending" : "ascending");
      else cell.removeAttribute("aria-sort");
    });
  }

  document.querySelectorAll(".card table").forEach((table) => {
    if (heat(table) || table.tBodies[0].rows.length < 2) return;
    [...table.tHead.rows[0].cells].forEach((cell, column) => {
      const button = document.createElement("button");
      button.type = "button";
      button.className = "sort";
      button.title = "Sort";
      button.append(...cell.childNodes);
      button.addEventListener("click", () => sort(table, column, cell.getAttribute("aria-sort") === "ascending"));
      cell.append(button);
    });
  });

  // "3 more columns →" above a table that is wider than its place, until its end is in sight.
  document.querySelectorAll(".scroll").forEach((region) => {
    const cue = document.createElement("p");
    cue.className = "cue soft";
    cue.setAttribute("aria-hidden", "true");
    region.before(cue);
    const look = () => {
      const heads = [...region.querySelectorAll("thead th")], edge = region.getBoundingClientRect().right;
      const hidden = heads.filter((head) => head.getBoundingClientRect().right > edge + 2).length;
      const wide = region.scrollWidth > region.clientWidth + 1;
      cue.hidden = !wide;
      cue.textContent = hidden ? `${hidden} more ${hidden === 1 ? "column" : "columns"} →` : "← scroll back";
      region.classList.toggle("more", hidden > 0);
    };
    region.addEventListener("scroll", look, { passive: true });
    new ResizeObserver(look).observe(region);
    look();
  });
})();
