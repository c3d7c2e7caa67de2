import { gitIn } from './git/git-process.js';
import { gitHandlers } from './git/handlers.js';
import { implementWith } from './implement-with.js';

/** On Node, over the repository of the folder that it is started in. */
export const implementation = implementWith(gitHandlers(gitIn(process.env.REPO_TOOLS_FOLDER ?? process.cwd())));
