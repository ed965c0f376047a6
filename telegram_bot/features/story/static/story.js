/** The story on pages: so far its reel. */

export { overView, silent } from "./reel.js";
