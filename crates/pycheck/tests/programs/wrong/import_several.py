# expect: PY301 2:1
import socket, math, subprocess as sp
