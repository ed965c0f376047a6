/*
 * A page whose modules do not run is loaded once more, and then says so; later it tries again, unless its browser is too
 * old. Old browsers have to read this file: it has no syntax newer than that of 2009.
 */
(function () {
  var KEPT = "perudo-unstarted";
  var isOld = !("noModule" in document.createElement("script"));

  /* Whether the page has been loaded again for this reason; true where that cannot be stored. */
  function again(value) {
    try {
      var before = sessionStorage.getItem(KEPT);
      if (value) sessionStorage.setItem(KEPT, value);
      else sessionStorage.removeItem(KEPT);
      return before !== null;
    } catch (error) {
      return true;
    }
  }

  /* Chromium before 84 and Safari before 14.1 leave no gaps between flexible boxes. */
  function hasGaps() {
    var box = document.createElement("div");
    box.style.display = "flex";
    box.style.flexDirection = "column";
    box.style.rowGap = "1px";
    box.appendChild(document.createElement("div"));
    box.appendChild(document.createElement("div"));
    document.documentElement.appendChild(box);
    var height = box.scrollHeight;
    document.documentElement.removeChild(box);
    return height === 1;
  }

  if (!hasGaps()) document.documentElement.className = "no-gap";
  addEventListener("error", function (event) {
    if (/SyntaxError/.test(event.message)) isOld = true;
  });
  addEventListener("load", function () {
    if (document.documentElement.hasAttribute("data-begun")) {
      again("");
      return;
    }
    var shown = again("once");
    if (shown) document.getElementById("unstarted").hidden = false;
    if (!shown || !isOld) setTimeout(function () { location.reload(); }, shown ? 15000 : 1000);
  });
})();
