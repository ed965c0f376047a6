/** The modules that features add to pages. One whose module does not come, or whose part fails, is left out. */

import { names } from "./features/names.js";

export const features = [];

/** Import a feature's module, the second time under another address: a browser keeps the failure of the first one. */
const load = (name, again = "") => import(`./features/${name}/${name}.js${again}`);

function guarded(module) {
  const guard = (part) => (...given) => {
    try {
      return part(...given);
    } catch (error) {
      console.error(error);
      return undefined;
    }
  };
  return Object.fromEntries(Object.entries(module).map(([name, part]) => [name, typeof part === "function" ? guard(part) : part]));
}

/** When all modules have come, in the features' order, or will not. */
export const loaded = Promise.all(names.map((name) => load(name).catch(() => load(name, "?again")).catch(() => null))).then((modules) => {
  features.push(...modules.filter(Boolean).map(guarded));
});
