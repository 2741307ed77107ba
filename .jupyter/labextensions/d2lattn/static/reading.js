// How JupyterLab reads the book. A federated extension as JupyterLab loads it, written by hand: no
// build, no import. Any notebook is read so, and nothing is written into it.
(() => {
  // Shift+Enter at a folded heading runs it and steps to the next cell, which lies in the fold:
  // nothing is seen of it, and the page jumps to its top, or the fold opens. Here one steps to the
  // next cell in sight; after the last fold there is none, and the heading stays. (UPSTREAM.md has
  // the report.)
  function stepOver(notebook) {
    let before = notebook.activeCellIndex, folded = -1, next = -1;
    notebook.node.addEventListener("keydown", () => {
      const at = notebook.activeCellIndex;
      folded = notebook.activeCell?.headingCollapsed ? at : -1;
      next = notebook.widgets.findIndex((cell, i) => i > at && !cell.isHidden);
    }, true);
    notebook.activeCellChanged.connect(() => {
      const from = before;
      before = notebook.activeCellIndex;
      if (from < 0 || before !== from + 1 || folded !== from) return;
      folded = -1;
      notebook.widgets[from].headingCollapsed = true;
      notebook.activeCellIndex = next < 0 ? from : next;
    });
  }

  // A link into a fold opens it: JupyterLab finds the cell and leaves it hidden. In a chapter that is
  // just being opened it is hidden a little later.
  function openForLinks(notebook) {
    const land = notebook.setFragment.bind(notebook);
    notebook.setFragment = async (fragment) => {
      await land(fragment);
      const at = notebook.widgets.findIndex(({ model }) => fragment.endsWith(`cell-id=${model.id}`));
      let again = 10; // what comes into sight far away has its place a second later: one lands once more
      for (let tries = 0; at >= 0 && tries < 50 && !notebook.isDisposed; tries++) {
        const isFold = (cell, i) => i < at && cell.headingCollapsed && !cell.isHidden;
        const fold = notebook.widgets[at].isHidden && notebook.widgets.findLast(isFold);
        if (fold) [fold.headingCollapsed, again] = [false, tries + 10];
        await new Promise((done) => setTimeout(done, 100));
        if (fold || tries === again) await land(fragment);
      }
    };
  }

  // The cell at the top of the window and the one that is selected are kept, so that a page that is
  // loaded anew opens there. A link into a chapter wants another place: nobody has touched the page
  // before it is opened anew.
  let touched = false;
  for (const event of ["pointerdown", "keydown", "wheel"]) {
    addEventListener(event, () => (touched = true), { capture: true, once: true });
  }

  async function keepPlace({ content, context }) {
    const key = `d2lattn:place:${document.baseURI.split("/lab")[0]}:${context.path}`;
    await context.ready;
    const view = content.node.querySelector(".jp-WindowedPanel-outer") ?? content.node;
    const index = (id) => content.widgets.findIndex((cell) => cell.model.id === id);
    const [top, active] = (touched ? null : localStorage.getItem(key))?.split(" ").map(index) ?? [];
    if (top > 0) {
      content.activeCellIndex = active < 0 ? top : active;
      await content.scrollToItem(top).catch(() => {}); // it may not come in time: the loop goes on
      const { node } = content.widgets[top];
      // Two seconds from when the cell is there, which may take a while: its height is guessed at first.
      for (let calm = 0, tries = 0; calm < 20 && tries < 300 && !touched; tries++) {
        if (node.offsetHeight && ++calm) {
          view.scrollTop += node.getBoundingClientRect().top - view.getBoundingClientRect().top;
        }
        await new Promise((done) => setTimeout(done, 100));
      }
    }
    let waiting;
    const keep = () => {
      clearTimeout(waiting);
      waiting = setTimeout(() => {
        const { top, height } = view.getBoundingClientRect();
        const first = height && content.widgets.find((cell) =>
          !cell.isHidden && cell.node.getBoundingClientRect().bottom > top + 20);
        if (first) localStorage.setItem(key, `${first.model.id} ${content.activeCell.model.id}`);
      }, 300);
    };
    view.addEventListener("scroll", keep);
    content.activeCellChanged.connect(keep);
  }

  // What was run stays in sight where there is room for it: JupyterLab looks at the next cell only,
  // and an output that is drawn late has pushed it away, or has left the page itself.
  function keepOutputInSight(notebook) {
    const view = notebook.node.querySelector(".jp-WindowedPanel-outer") ?? notebook.node;
    const bringIntoSight = (from, next) => {
      const { top, bottom } = view.getBoundingClientRect();
      const [ran, selected] = [from, next].map((cell) => cell.node.getBoundingClientRect());
      if (isText(from)) { // it has been read: the next is what counts
        view.scrollTop += Math.max(0, Math.min(selected.bottom - bottom, selected.top - top));
        return;
      }
      const up = ran.top - top, down = Math.max(0, selected.bottom - bottom);
      const least = selected.top + Math.min(60, selected.height) - bottom; // of the selected one
      if (up < 0) view.scrollTop += Math.max(up, least);
      else view.scrollTop += Math.min(down, up);
    };
    // While a cell runs again its place is kept, also while what it showed is gone and not yet redrawn.
    const keepHeight = async ({ node, model }) => {
      node.style.minHeight = `${node.offsetHeight}px`;
      for (let calm = 0; calm < 5; calm = model.executionState === "running" ? 0 : calm + 1) {
        await new Promise((done) => setTimeout(done, 100));
      }
      node.style.minHeight = "";
    };
    let before = notebook.activeCellIndex, byKey = false, wanted = 0;
    for (const kind of ["keydown", "wheel", "pointerdown"]) {
      notebook.node.addEventListener(kind, (event) => {
        byKey = event.key === "Enter" && event.shiftKey;
        wanted++;
        if (byKey && notebook.activeCell && !isText(notebook.activeCell)) keepHeight(notebook.activeCell);
      }, true);
    }
    notebook.activeCellChanged.connect(async () => {
      const from = notebook.widgets[before], next = notebook.activeCell;
      before = notebook.activeCellIndex;
      if (!byKey || !from || from.isHidden) return;
      const mine = wanted;
      for (let calm = 0; calm < 20; calm = from.model.executionState === "running" ? 0 : calm + 1) {
        await new Promise((done) => setTimeout(done, 100)); // two seconds: a figure is drawn late
        if (mine !== wanted || notebook.isDisposed) return;
        if (calm) bringIntoSight(from, next);
      }
    });
  }

  // Below a guess the text goes on with the answer. It is veiled up to the next heading or guess
  // until the cell has shown what it puts out, the fold been opened, or the reader goes there by the
  // mouse, by Enter or by running on.
  const VEIL = `.d2lattn-veil > .jp-Cell-inputWrapper, .d2lattn-veil > .jp-Cell-outputWrapper {
      filter: blur(7px); opacity: .6; user-select: none; }
    .d2lattn-veil > .jp-Cell-outputWrapper { filter: blur(20px); } /* bars, too */
    .d2lattn-veil-first::before { display: block; margin: 8px 0 4px 80px; font-style: italic;
      color: var(--jp-ui-font-color1);
      content: "The text below tells the answer. Run the cell and open Compare above, or click here (Enter)."; }
    .d2lattn-guess .jp-InputPlaceholder .jp-Placeholder-contentContainer::after {
      content: "guess, then run (Shift+Enter)"; margin-left: 12px; font-style: italic; }`;
  const WRAPPED = ":scope > :is(.jp-Cell-inputWrapper, .jp-Cell-outputWrapper)";
  const source = (cell) => cell.model.sharedModel.source;
  const isText = (cell) => cell.model.type === "markdown";
  const asks = (cell) => isText(cell) && source(cell).includes("**Predict.**");
  const folds = (cell) => isText(cell) && source(cell).startsWith("<details><summary>");
  const compares = (cell) => folds(cell) && source(cell).includes("<summary>Compare");
  const ends = (cell) => !cell || (isText(cell) && (/^#/.test(source(cell)) || asks(cell)));
  const shows = (cell) => cell.model.type === "code" && cell.model.outputs.length > 0;

  // For each guess the cells that answer it and those that wait for them, as indices. What is
  // prepared before the answer is not veiled.
  const isCaption = ({ model }) => (model.getMetadata("tags") ?? []).includes("caption");

  function guesses({ widgets }) {
    return widgets.flatMap((cell, i) => {
      if (!asks(cell)) return [];
      let start = i + 1;
      while (!ends(widgets[start]) && !compares(widgets[start]) && !shows(widgets[start])) start++;
      const from = start;
      while (widgets[start] && (widgets[start].model.type === "code" || isCaption(widgets[start]))) start++;
      const answers = widgets.slice(from, start).filter(shows);
      const fold = widgets[start] && compares(widgets[start]) ? widgets[start++] : null;
      let end = start;
      while (!ends(widgets[end])) end++;
      if (widgets[end] && asks(widgets[end]) && !/^#/.test(source(widgets[end]))) end++;
      return answers.length || fold ? [{ cell, answers, fold, start, end }] : [];
    });
  }

  const take = (event) => {
    event.preventDefault();
    event.stopPropagation();
  };

  // The selected fold is opened by Enter, also within a text, and *Compare* by Shift+Enter, whose next
  // stroke goes on; a hint or an answer of exercises is passed by. Neither a key nor a double click
  // turns a fold into its source, but where the book itself is written. And Shift+Enter leaves no text
  // of which something still lies below the window: it shows that first.
  function openByKey({ content: notebook, context }) {
    if (context.path.startsWith("notebooks/")) return;
    const view = notebook.node.querySelector(".jp-WindowedPanel-outer") ?? notebook.node;
    const below = ({ node }) => node.getBoundingClientRect().bottom - view.getBoundingClientRect().bottom;
    notebook.node.addEventListener("keydown", (event) => {
      const cell = notebook.activeCell;
      if (event.key !== "Enter" || event.ctrlKey || event.metaKey || event.altKey) return;
      if (notebook.mode !== "command" || !cell || !isText(cell)) return;
      if (event.target.closest("summary")) return; // the fold has the focus and opens by itself
      const inText = [...cell.node.querySelectorAll("details")];
      const fold = inText.find((one) => !one.open) ?? inText[0];
      if (fold && (!event.shiftKey || (compares(cell) && !fold.open))) {
        take(event);
        fold.open = !fold.open;
        const up = fold.getBoundingClientRect().top - view.getBoundingClientRect().top;
        if (fold.open) view.scrollTop += Math.max(0, Math.min(below(cell), up));
      } else if (event.shiftKey && below(cell) > 8) {
        take(event);
        view.scrollTop += Math.min(below(cell), view.clientHeight - 60);
      }
    }, true);
    notebook.node.addEventListener("dblclick", (event) => {
      if (notebook.activeCell?.node.querySelector("details") && isText(notebook.activeCell)) take(event);
    }, true);
  }

  // The button that opens a fold leaves the focus nowhere, and the keyboard dead.
  function keepFocus(notebook) {
    notebook.node.addEventListener("click", () => setTimeout(() => {
      if (document.activeElement === document.body) notebook.activate();
    }, 100));
  }

  const failed = ({ model }) =>
    [...Array(model.outputs.length).keys()].some((k) => model.outputs.get(k).type === "error");

  function veil(panel) {
    const notebook = panel.content, guessed = new WeakSet();
    let walked = false; // an arrow key passes by and lifts nothing
    for (const kind of ["keydown", "pointerdown"]) {
      notebook.node.addEventListener(kind, (event) => {
        walked = kind === "keydown" && event.key !== "Enter";
        const veiled = notebook.activeCell?.node.classList.contains("d2lattn-veil");
        if (event.key !== "Enter" || event.shiftKey || !veiled || notebook.mode !== "command") return;
        take(event); // its source is no answer
        look();
      }, true);
    }
    const look = () => {
      const veiled = new Set(), first = new Set(), open = new Set();
      for (const { cell, answers, fold, start, end } of guesses(notebook)) {
        const shown = answers.length && !answers.some((one) => one.outputHidden || failed(one));
        const here = !walked && notebook.widgets.slice(start, end).includes(notebook.activeCell);
        const compared = fold?.node.querySelector("details")?.open;
        const told = (shown || compared || here) && !guessed.has(cell.model);
        if (told) answers.forEach((one) => (one.outputHidden = false)); // the text tells of them
        if (told) guessed.add(cell.model);
        if (guessed.has(cell.model)) continue;
        answers.forEach((one) => one.outputHidden && open.add(one));
        notebook.widgets.slice(start, end).forEach((one) => veiled.add(one));
        if (start < end) first.add(notebook.widgets[start]);
      }
      for (const cell of notebook.widgets) {
        cell.toggleClass("d2lattn-guess", open.has(cell));
        cell.toggleClass("d2lattn-veil", veiled.has(cell));
        cell.toggleClass("d2lattn-veil-first", first.has(cell));
        const put = (node, name, value) =>
          veiled.has(cell) ? node.setAttribute(name, value) : node.removeAttribute(name);
        put(cell.node, "role", "article"); // it has a name and, under the veil, no text
        cell.node.querySelectorAll(WRAPPED).forEach((part) => put(part, "aria-hidden", "true"));
      }
    };
    panel.context.ready.then(look);
    notebook.activeCellChanged.connect(look);
    const every = setInterval(look, 500);
    panel.disposed.connect(() => clearInterval(every));
  }

  // The first import takes PyTorch long to load, and the asterisk alone does not say for what.
  const WAITS = "Loading PyTorch and the book. The first time this may take some seconds.";

  // A line that belongs to a cell, behind that part of it.
  function say(text, part, name) {
    const line = document.createElement("div");
    line.className = name;
    line.setAttribute("role", "status");
    line.style.cssText = "margin: 8px 0 4px 80px; color: var(--jp-ui-font-color1)";
    line.textContent = text;
    part?.after(line);
    return line;
  }

  // Whether the kernel is busy is not asked: of one that is just being connected nobody hears it.
  function sayWhatIsLoaded(panel) {
    let before;
    const look = () => {
      const running = panel.content.widgets.find((cell) => cell.model.executionState === "running");
      const source = running?.model.sharedModel.source ?? "";
      const loads = /^(import|from) (torch|d2lattn)/m.test(source);
      const said = panel.content.node.querySelector(".d2lattn-waits");
      if (!loads) said?.remove();
      else if (!said && running === before) { // for a second already
        say(WAITS, running.node.querySelector(".jp-Cell-inputWrapper"), "d2lattn-waits");
      }
      before = running;
    };
    const every = setInterval(look, 1000);
    panel.disposed.connect(() => clearInterval(every));
  }

  // On a later day the kernel is a new one: a name may stand in a cell above that ran in the last one.
  // The kernel says what it has run.
  function sayWhatHasNotRun({ content: notebook, sessionContext }) {
    sessionContext.iopubMessage.connect(async (_, { parent_header: asked, content }) => {
      const name = content.ename === "NameError" && /^name '(\w+)' is/.exec(content.evalue)?.[1];
      const cell = notebook.widgets.find(({ outputArea }) =>
        outputArea?.future?.msg.header.msg_id === asked.msg_id);
      if (!name || !cell) return;
      const range = { hist_access_type: "range", session: 0, start: 1, output: false, raw: true };
      const { content: { history } } = await sessionContext.session.kernel.requestHistory(range);
      const ran = history.map(([session, count, text]) => text.trim());
      const above = notebook.widgets.slice(0, notebook.widgets.indexOf(cell)).filter((one) =>
        one.model.type === "code" && RegExp(`\\b${name}\\b`).test(source(one)));
      if (above.every((one) => ran.includes(source(one).trim()))) return;
      const line = say(`${name} stands in a cell above that has not been run since the kernel started. ` +
        "Choose Run › Run All Above Selected Cell, then run this cell again.",
        cell.node.querySelector(".jp-Cell-outputWrapper"), "d2lattn-not-run");
      cell.model.outputs.changed.connect(() => line.remove());
    });
  }

  // A line of text is read without turning the head, a table begins where the text does, a hidden
  // output tells nothing of itself, bars of folded code are slim, and in the list of files a
  // chapter's name is seen whole.
  const LOOK = `.jp-RenderedMarkdown :is(p, li, blockquote, summary) { max-width: 62ch; }
    .jp-RenderedMarkdown :is(table, th:not([align])) { margin-left: 0; text-align: left; }
    .jp-RenderedMarkdown h1:first-child { font-size: 24px; margin-bottom: 4px; }
    .jp-OutputPlaceholder .jp-PlaceholderText { display: none; }
    .jp-OutputPlaceholder .jp-Placeholder-contentContainer::before {
      content: "hidden: guess, then run (Shift+Enter)"; }
    body .jp-InputPlaceholder { margin: -4px 0; }
    body .jp-Placeholder-content { padding: 0; }
    body .jp-DirListing-itemText { font-size: 11.5px; letter-spacing: -0.3px; }`;

  // Pictures are drawn on white: in a dark theme they keep it, with less light.
  const DARK = `[data-jp-theme-light="false"] .jp-OutputArea img[src^="data:image/png"] {
    border-radius: 4px; filter: brightness(.85); }`;

  const plugin = {
    id: "d2lattn:reading",
    autoStart: true,
    activate({ shell }) {
      const style = document.createElement("style");
      style.textContent = LOOK + DARK + VEIL;
      document.head.append(style);
      const known = new WeakSet();
      shell.currentChanged?.connect(() => {
        const panel = shell.currentWidget;
        if (!panel?.content?.activeCellChanged || known.has(panel)) return;
        known.add(panel);
        stepOver(panel.content);
        openForLinks(panel.content);
        keepOutputInSight(panel.content);
        openByKey(panel);
        keepFocus(panel.content);
        veil(panel);
        keepPlace(panel);
        sayWhatIsLoaded(panel);
        sayWhatHasNotRun(panel);
      });
    },
  };

  window._JUPYTERLAB ??= {};
  window._JUPYTERLAB.d2lattn = {
    init() {},
    get: () => Promise.resolve(() => ({ __esModule: true, default: [plugin] })),
  };
})();
