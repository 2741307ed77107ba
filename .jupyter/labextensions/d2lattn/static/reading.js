// How JupyterLab reads the book. A federated extension as JupyterLab loads it, written by hand: no
// build, no import. Any notebook is read so, and nothing is written into it.
(() => {
  // Shift+Enter at a folded heading runs it and steps to the next cell, which lies in the fold:
  // nothing is seen of it, and the page jumps to its top. Here one steps to the next cell in sight;
  // behind the last fold there is none, and the heading stays.
  function stepOver(notebook) {
    let before = notebook.activeCellIndex;
    notebook.activeCellChanged.connect(() => {
      const from = before;
      before = notebook.activeCellIndex;
      if (before !== from + 1 || !notebook.widgets[from]?.headingCollapsed) return;
      const inSight = notebook.widgets.findIndex((cell, i) => i > from && !cell.isHidden);
      notebook.activeCellIndex = inSight < 0 ? from : inSight;
    });
  }

  // The cell at the top of the window is kept, so that a page that is loaded anew opens there. A
  // link into a chapter wants another place: nobody has touched the page before it is opened anew.
  let touched = false;
  for (const event of ["pointerdown", "keydown", "wheel"]) {
    addEventListener(event, () => (touched = true), { capture: true, once: true });
  }

  async function keepPlace({ content, context }) {
    const key = `d2lattn:place:${document.baseURI.split("/lab")[0]}:${context.path}`;
    await context.ready;
    const view = content.node.querySelector(".jp-WindowedPanel-outer") ?? content.node;
    const kept = localStorage.getItem(key);
    const at = kept && !touched ? content.widgets.findIndex((cell) => cell.model.id === kept) : -1;
    if (at > 0) {
      content.activeCellIndex = at;
      await content.scrollToItem(at);
      const { node } = content.widgets[at];
      for (let tries = 0; tries < 20 && !touched; tries++) { // heights are guessed until it is drawn
        view.scrollTop += node.getBoundingClientRect().top - view.getBoundingClientRect().top;
        await new Promise((done) => setTimeout(done, 100));
      }
    }
    let waiting;
    view.addEventListener("scroll", () => {
      clearTimeout(waiting);
      waiting = setTimeout(() => {
        const { top, height } = view.getBoundingClientRect();
        const first = height && content.widgets.find((cell) =>
          !cell.isHidden && cell.node.getBoundingClientRect().bottom > top + 20);
        if (first) localStorage.setItem(key, first.model.id);
      }, 300);
    });
  }

  // The first import takes PyTorch long to load, and the asterisk alone does not say for what.
  const WAITS = "Loading PyTorch and the book. The first time this may take some seconds.";

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
        const line = document.createElement("div");
        line.className = "d2lattn-waits";
        line.setAttribute("role", "status");
        line.style.cssText = "margin: 0 0 0 80px; color: var(--jp-ui-font-color1)";
        line.textContent = WAITS;
        running.node.querySelector(".jp-Cell-inputWrapper")?.after(line);
      }
      before = running;
    };
    const every = setInterval(look, 1000);
    panel.disposed.connect(() => clearInterval(every));
  }

  // Pictures are drawn on white: in a dark theme they keep it, with less light.
  const DARK = `[data-jp-theme-light="false"] .jp-OutputArea img[src^="data:image/png"] {
    border-radius: 4px; filter: brightness(.85); }`;

  const plugin = {
    id: "d2lattn:reading",
    autoStart: true,
    activate({ shell }) {
      document.head.append(Object.assign(document.createElement("style"), { textContent: DARK }));
      const known = new WeakSet();
      shell.currentChanged?.connect(() => {
        const panel = shell.currentWidget;
        if (!panel?.content?.activeCellChanged || known.has(panel)) return;
        known.add(panel);
        stepOver(panel.content);
        keepPlace(panel);
        sayWhatIsLoaded(panel);
      });
    },
  };

  window._JUPYTERLAB ??= {};
  window._JUPYTERLAB.d2lattn = {
    init() {},
    get: () => Promise.resolve(() => ({ __esModule: true, default: [plugin] })),
  };
})();
