export { default as path } from 'path-browserify';
