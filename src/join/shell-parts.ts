import { sectionsOf } from '../base/shell-sections.js';
import apt from './apt.sh';
import boot from './boot.sh';
import dnf from './dnf.sh';
import identity from './identity.sh';
import images from './images.sh';
import join from './join.sh';
import leave from './leave.sh';
import machine from './machine.sh';
import preflight from './preflight.sh';
import runtime from './runtime.sh';
import service from './service.sh';
import settings from './settings.sh';
import token from './token.sh';
import update from './update.sh';

/** What runs on machines, by the name of its section. */
export const shell = sectionsOf(
  apt,
  boot,
  dnf,
  identity,
  images,
  join,
  leave,
  machine,
  preflight,
  runtime,
  service,
  settings,
  token,
  update,
);
