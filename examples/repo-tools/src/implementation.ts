import { gitIn } from './git/git-process.js';
import { implementWith } from './implement-with.js';

/** On Node, over the repository of the folder that it is started in. */
export const implementation = implementWith(gitIn(process.env.REPO_TOOLS_FOLDER ?? process.cwd()));
