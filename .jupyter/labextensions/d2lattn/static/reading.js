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

  const plugin = {
    id: "d2lattn:reading",
    autoStart: true,
    activate({ shell }) {
      const known = new WeakSet();
      shell.currentChanged?.connect(() => {
        const { content } = shell.currentWidget ?? {};
        if (!content?.activeCellChanged || known.has(content)) return;
        known.add(content);
        stepOver(content);
      });
    },
  };

  window._JUPYTERLAB ??= {};
  window._JUPYTERLAB.d2lattn = {
    init() {},
    get: () => Promise.resolve(() => ({ __esModule: true, default: [plugin] })),
  };
})();
