/** The modules that features add to pages. One whose module does not come, or whose part fails, is left out. */

import { names } from "./features/names.js";

export const features = [];
/** The results of one function of each feature. */
export const more = (part, ...given) => features.map((each) => each[part]?.(...given));
/** When all modules have come, or will not. */
export let loaded = Promise.resolve();

/** Import a feature's module, the second time under another address: a browser keeps the failure of the first one. */
const load = (path, again = "") => import(`./features/${path}.js${again}`);

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

/** Add modules by their paths, in this order, after those of earlier calls. */
export function add(paths) {
  const modules = paths.map((path) => load(path).catch(() => load(path, "?again")).catch(() => null));
  loaded = Promise.all([Promise.all(modules), loaded]).then(([found]) => {
    features.push(...found.filter(Boolean).map(guarded));
  });
}

add(names.map((name) => `${name}/${name}`));
