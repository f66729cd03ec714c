// SPDX-License-Identifier: Apache-2.0

import EpitaphSymbols
import EpitaphTestSupport
import Testing

struct ElfSymbolNameTests {
    private static let source = """
            .text
            .globl  whole
            .type   whole, @function
            .type   __inner_name, @function
            .type   aaa_local, @function
        whole: __inner_name: aaa_local:
            nop; nop; nop; nop
            .size whole, .-whole
            .size __inner_name, .-__inner_name
            .size aaa_local, .-aaa_local
            nop; nop; nop; nop
            .type   sizeless, @function
        sizeless:
            nop; nop; nop; nop
        label:
            nop; nop; nop; nop
            .type   versioned_1, @function
            .globl  versioned_1
        versioned_1:
            nop; nop
            .size versioned_1, .-versioned_1
            .symver versioned_1, versioned@@LIST_1
            .section .text.other, "ax"
            nop; nop

        """

    private func program(in directory: TemporaryDirectory) throws -> String {
        try directory.write(Array("LIST_1 { global: *; };".utf8), to: "versions")
        return try ProgramFile.compile(
            Self.source, as: "symbols.s",
            [
                "-shared", "-nostdlib", "-fuse-ld=lld",
                "-Wl,--version-script=" + directory.path("versions"),
            ], in: directory)
    }

    @Test("The best of several names is taken, and a symbol without a size reaches to the next")
    func bestNames() throws {
        let directory = try TemporaryDirectory()
        let file = try ProgramFile(try program(in: directory))
        func name(_ function: String, plus offset: UInt64) throws -> String? {
            try file.calls(in: function, plus: offset)[0].function
        }
        // At the same address: global before local, whatever the alphabetical order.
        #expect(try name("whole", plus: 0) == "whole")
        #expect(try name("whole", plus: 3) == "whole")
        // What follows a function with a known end belongs to no function.
        #expect(try name("whole", plus: 4) == nil)
        #expect(try name("sizeless", plus: 0) == "sizeless")
        #expect(try name("sizeless", plus: 3) == "sizeless")
        #expect(try name("label", plus: 3) == "label")
        #expect(try name("label", plus: 4)?.hasPrefix("versioned") == true)
        #expect(try name("label", plus: 6) == nil)
    }

    @Test("The version behind a symbol's name is left out")
    func versions() throws {
        let directory = try TemporaryDirectory()
        let file = try ProgramFile(try program(in: directory))
        for offset in 0..<UInt64(2) {
            let name = try #require(try file.calls(in: "label", plus: 4 + offset)[0].rawName)
            #expect(!name.contains("@"))
        }
    }

    @Test("Symbols compressed into a stripped program name its functions")
    func miniDebugInformation() throws {
        let directory = try TemporaryDirectory()
        let source = """
            __attribute__((noinline)) static int hidden(int value) { return value * value; }
            int main(int count, char **arguments) { (void)arguments; return hidden(count); }

            """
        let program = try ProgramFile.compile(source, as: "main.c", ["-O1"], in: directory)
        let whole = directory.path("whole")
        let small = directory.path("small")
        try ProgramFile.run(["cp", program, whole])
        try ProgramFile.run(["objcopy", "--only-keep-debug", program, small])
        try ProgramFile.run(["xz", small])
        try ProgramFile.run([
            "objcopy", "--strip-all", "--add-section", ".gnu_debugdata=\(small).xz", program,
        ])
        let file = try ProgramFile(program, symbolFile: whole)
        #expect(try file.calls(in: "hidden", plus: 1)[0].function == "hidden")
        #expect(try file.calls(in: "main", plus: 1)[0].namedBy == .symbolTable)

        // Without them there is no name.
        try ProgramFile.run(["objcopy", "--remove-section", ".gnu_debugdata", program])
        let stripped = try ProgramFile(program, symbolFile: whole)
        #expect(try stripped.calls(in: "hidden", plus: 1)[0].function == nil)
    }
}
