// path: that of POSIX.
import { path } from 'vendor:path';

export const { basename, delimiter, dirname, extname, format, isAbsolute, join, normalize, parse, relative, resolve, sep } = path;
const posix = { basename, delimiter, dirname, extname, format, isAbsolute, join, normalize, parse, relative, resolve, sep };
posix.posix = posix;
export { posix };
export default posix;
