"use strict";
(() => {
  const all = (name) => [...document.querySelectorAll(`script.${name}`)].map((s) => JSON.parse(s.textContent));
  const [rules] = all("rules"), runs = all("run"), bad = all("bad"), [summary] = all("summary");
  const SIGNS = { FALSE: "✗", PFALSE: "!", PENDING: "·", PTRUE: "~", TRUE: "✓", ERROR: "?" };
  const MEANING = {
    FALSE: "violated for good", PFALSE: "an obligation is not met yet", PENDING: "undecided",
    PTRUE: "holds so far", TRUE: "holds for good", ERROR: "could not be judged",
  };

  // Everything from a run goes in as text, never as markup.
  const make = (tag, options = {}, ...children) => {
    const element = document.createElement(tag);
    for (const [key, value] of Object.entries(options)) {
      if (key === "class") element.className = value;
      else element.setAttribute(key, value);
    }
    element.append(...children);
    return element;
  };
  const add = (...children) => document.body.append(...children);
  const plural = (n, word) => `${n} ${word}${n === 1 ? "" : "s"}`;

  add(make("h1", {}, "AgentLTL report"));
  const mean = summary.mean_score === null ? "–" : summary.mean_score.toFixed(3);
  add(make("p", { id: "totals" },
    `${plural(summary.runs, "run")}: ${summary.met} reach the score ${summary.min_score}, ` +
    `${summary.not_met} do not; mean score ${mean}.`));
  if (bad.length > 0) {
    add(make("h2", {}, `${plural(bad.length, "input")} could not be read`));
    add(make("ul", { id: "bad" }, ...bad.map((text) => make("li", {}, text))));
  }

  // The scores: a bar a run, in order.
  if (runs.length > 1) {
    const NS = "http://www.w3.org/2000/svg";
    const svg = document.createElementNS(NS, "svg");
    const set = (element, values) => Object.entries(values).forEach(([k, v]) => element.setAttribute(k, v));
    set(svg, { viewBox: `0 0 ${runs.length} 100`, preserveAspectRatio: "none", role: "img", id: "scores" });
    svg.setAttribute("aria-label", `The scores of ${runs.length} runs, from 0 to 1; the runs below list them.`);
    // Of very many runs several share a bar: the lowest score of them.
    const share = Math.max(1, Math.ceil(runs.length / 2000));
    for (let i = 0; i < runs.length; i += share) {
      const group = runs.slice(i, i + share);
      const low = group.reduce((a, b) => (b.score < a.score ? b : a));
      const bar = document.createElementNS(NS, "rect");
      const height = Math.max(low.score * 100, 1.5);
      set(bar, { x: i + 0.1 * share, width: 0.8 * share, y: 100 - height, height });
      if (!low.met) bar.setAttribute("class", "missed");
      const title = document.createElementNS(NS, "title");
      title.textContent = `${low.name}: ${low.score}`;
      bar.append(title);
      svg.append(bar);
    }
    const wanted = document.createElementNS(NS, "line");
    set(wanted, { x1: 0, x2: runs.length, y1: 100 - summary.min_score * 100, y2: 100 - summary.min_score * 100 });
    svg.append(wanted);
    add(make("h2", {}, "Scores"), svg,
      make("p", {}, "A bar is a run, in order; black bars do not reach the score (dashed line)."));
  }

  add(make("h2", {}, "Rules"));
  const head = ["rule", "severity", "weight", "violated in", "formula"].map((text) => make("th", { scope: "col" }, text));
  const rows = rules.map((rule, i) => make("tr", { title: rule.description },
    make("th", { scope: "row" }, rule.name), make("td", {}, rule.severity), make("td", {}, String(rule.weight)),
    make("td", {}, String(summary.constraints[i].violated)), make("td", {}, make("code", {}, rule.formula))));
  add(make("div", { class: "scroll" }, make("table", { class: "rules" },
    make("thead", {}, make("tr", {}, ...head)), make("tbody", {}, ...rows))));

  add(make("h2", {}, "Runs"));
  const key = make("p", { class: "key" }, "After each call:");
  for (const verdict of ["FALSE", "PFALSE", "PENDING", "PTRUE", "TRUE"]) {
    key.append(make("span", { class: verdict }, SIGNS[verdict]), `${verdict}, ${MEANING[verdict]}`);
  }
  add(key, make("p", {}, "Columns are calls; a hatched one between thick lines is a call that an enforcer would " +
    "have refused. The verdicts are those of the run as it was recorded; the enforcer judged each call after those it " +
    "had allowed. Arrow keys move between cells; Home and End go to the first and last call."));

  const lines = (title, text) => (text ? [make("strong", {}, title), make("pre", {}, text)] : []);
  const place = (segment) => {
    const [[kind, value]] = Object.entries(typeof segment === "string" ? { [segment]: "" } : segment);
    if (kind === "position") return value === null ? "the whole run" : `call ${value + 1}`;
    if (kind === "side") return `side ${value + 1} of &`;
    if (kind === "entity") return `for ${JSON.stringify(value)}`;
    return kind;
  };
  const witness = (w) => {
    const path = w.path.map(place).join(", ") || "the rule as a whole";
    return `${path}: ${w.verdict}` + (w.counts.length ? ` (count ${w.counts.join(", ")})` : "");
  };

  const show = (box, run, row, column) => {
    const call = run.picture.calls[column], verdict = run.picture.verdicts[row][column];
    const refused = call.action !== "allow";
    box.replaceChildren(
      make("p", {}, make("strong", {}, `Call ${column + 1}: ${call.tool}`),
        refused ? `, refused: ${call.action} by ${call.by}` : ", allowed"),
      make("p", {}, make("strong", {}, rules[row].name), `: ${verdict}, ${MEANING[verdict]} after this call`),
      ...lines("Arguments", call.arguments), ...lines("Result", call.result),
      ...lines("Feedback", call.feedback),
      ...(call.violations || []).flatMap((v) =>
        lines(`Violation of ${v.rule}`, [v.detail, ...v.witnesses.map((w) => `witness: ${witness(w)}`)].join("\n"))));
  };

  const draw = (run, into) => {
    const { calls, verdicts, end } = run.picture;
    const box = make("div", { class: "detail", "aria-live": "polite" }, "Choose a cell to see the call.");
    const cells = [];
    const header = make("tr", {}, make("th", { scope: "col" }, "rule"));
    calls.forEach((call, i) => {
      const refused = call.action !== "allow";
      const text = `${i + 1} ${call.tool}${refused ? ` (${call.action})` : ""}`;
      header.append(make("th", { scope: "col", class: refused ? "refused" : "" }, make("span", { title: text }, text)));
    });
    header.append(make("th", { scope: "col" }, make("span", {}, "finished run")));
    const body = rules.map((rule, row) => {
      const line = make("tr", {}, make("th", { scope: "row", title: rule.formula }, rule.name));
      cells.push(verdicts[row].map((verdict, column) => {
        const refused = calls[column].action !== "allow";
        const button = make("button", {
          type: "button", tabindex: row === 0 && column === 0 ? "0" : "-1", class: verdict,
          "aria-label": `${rule.name} after call ${column + 1}, ${calls[column].tool}: ${verdict}` +
            (refused && calls[column].by === rule.name ? `; the call is refused: ${calls[column].action}` : ""),
        }, SIGNS[verdict]);
        button.addEventListener("focus", () => show(box, run, row, column));
        button.addEventListener("click", () => { button.focus(); show(box, run, row, column); });
        button.addEventListener("keydown", (event) => move(event, row, column));
        line.append(make("td", { class: refused ? "refused" : "" }, button));
        return button;
      }));
      line.append(make("td", { class: run.passed[row] ? "last" : "last bad", title: run.details[row] },
        run.passed[row] ? "holds" : "FAILS"));
      return line;
    });
    const move = (event, row, column) => {
      const steps = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] };
      const step = steps[event.key];
      let next;
      if (step) next = cells[row + step[0]]?.[column + step[1]];
      else if (event.key === "Home") next = cells[row][0];
      else if (event.key === "End") next = cells[row].at(-1);
      if (!next) return;
      event.preventDefault();
      cells.flat().forEach((cell) => cell.setAttribute("tabindex", "-1"));
      next.setAttribute("tabindex", "0");
      next.focus();
    };
    const failed = rules.map((rule, i) => (run.passed[i] ? "" : `${rule.name}: ${run.details[i]}`)).filter(Boolean);
    into.append(make("div", { class: "scroll" }, make("table", { class: "matrix" },
      make("thead", {}, header), make("tbody", {}, ...body))), box,
      ...lines("The finished run violates", failed.join("\n")), ...lines("At the end the enforcer would have said", end));
  };

  for (const run of runs) {
    const failed = rules.filter((_, i) => !run.passed[i]).map((rule) => rule.name);
    const text = `${run.name}  ${run.score.toFixed(2)} ${run.label}` + (failed.length ? `  ${failed.join(", ")}` : "");
    const details = make("details", { class: "run" }, make("summary", { class: run.met ? "" : "missed" }, text));
    if (!run.picture) {
      details.append(make("p", {}, "This run is not drawn: the page has enough of them. Ask for it alone."));
    }
    // Drawn when it is opened: a page of many runs opens at once.
    let drawn = !run.picture;
    const open = () => { if (!drawn) { drawn = true; draw(run, details); } };
    details.addEventListener("toggle", () => { if (details.open) open(); });
    add(details);
    if (runs.length === 1) { details.open = true; open(); }
  }
})();
