# SPDX-License-Identifier: Apache-2.0
"""Runtimes of Debian that cause faults in their own process and repair them: none is a crash, and each ends
by itself as without Epitaph."""

import subprocess

from compare_endings.services import Service


class Repairing(Service):
    """Nothing is done to it."""

    ends = ("ITSELF",)

    def end(self, end):
        pass


class Sbcl(Repairing):
    """Its collector protects pages."""

    name, program, package = "sbcl", "/usr/bin/sbcl", "sbcl"

    def words(self):
        self.write("conf", "(defvar *all* nil)\n(dotimes (i 20) (push (make-array 100000) *all*) (gc)\n"
                   "  (dolist (one *all*) (setf (aref one 1) (list i))))\n"
                   "(handler-case (sb-sys:with-pinned-objects () (sb-sys:sap-ref-8 (sb-sys:int-sap 16) 0))\n"
                   "  (error () (print :caught)))\n(print (length *all*))\n")
        return [self.program, "--noinform", "--non-interactive", "--no-sysinit", "--no-userinit", "--load",
                self.directory / "conf"]


class Mono(Repairing):
    """A null reference is a fault that becomes an exception."""

    name, program, package = "mono", "/usr/bin/mono", "mono-mcs"

    def words(self):
        program = self.shared / "nothing.exe"
        if not program.exists():
            source = self.shared / "nothing.cs"
            source.write_text("class Nothing { int value; static void Main() { int caught = 0; for (int i = 0; i < 100; i++) {\n"
                              "try { Nothing none = null; none.value = i; } catch (System.NullReferenceException) { caught++; } }\n"
                              "System.Console.WriteLine(caught); } }\n")
            subprocess.run(["mcs", f"-out:{program}", source], check=True, capture_output=True, timeout=60)
        return [self.program, program]


class Ocaml(Repairing):
    """The end of the stack is a fault that becomes an exception."""

    name, package = "ocaml", "ocaml-nox"
    program = "/usr/bin/ocamlopt"

    def words(self):
        program = self.shared / "deep"
        if not program.exists():
            source = self.shared / "deep.ml"
            source.write_text("let rec deep n = 1 + deep (n + 1)\nlet () = for _ = 1 to 3 do\n"
                              "  try ignore (deep 0) with Stack_overflow -> print_endline \"caught\" done\n")
            subprocess.run([self.program, source, "-o", program], check=True, capture_output=True, timeout=60, cwd=self.shared)
        return [program]


class NodeWithTraps(Repairing):
    """A load outside of WebAssembly's memory is a fault that becomes an exception."""

    name, program, package = "node wasm", "/usr/bin/node", "nodejs"
    # (module (memory 1) (func (export "f") (result i32) i32.const -8 i32.load))
    module = "0061736d010000000105016000017f030201000503010001070501016600000a0901070041782802000b"

    def words(self):
        self.write("server.js", f"const module = new WebAssembly.Module(Buffer.from('{self.module}', 'hex'));\n"
                   "const {f} = new WebAssembly.Instance(module).exports; let caught = 0;\n"
                   "for (let i = 0; i < 100; i++) { try { f(); } catch (error) { caught++; } }\nconsole.log(caught);\n")
        return [self.program, "server.js"]


SERVICES = [Sbcl, Mono, Ocaml, NodeWithTraps]
