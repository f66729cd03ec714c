// SPDX-License-Identifier: Apache-2.0

import EpitaphELF
import EpitaphSystem
import EpitaphTestSupport
import Testing

/// What an image calls in others, and offers them, as compilers and linkers write it.
struct CalledFunctionTests {
    private static let source = """
        #include <stdlib.h>
        __asm__(".text\\n.globl short_label\\n.type short_label,@function\\n"
            "short_label: .skip 400, 0x90\\nret\\n");
        void own_function(void) { abort(); }
        int asked(const char *text) { own_function(); return atoi(text); }

        """

    private func library(_ options: [String]) throws -> (image: ELFImage, relocations: String) {
        let directory = try TemporaryDirectory()
        let path = try CrashingProgram.compile(
            ["-shared", "-fPIC", "-O1"] + options, in: directory, source: Self.source)
        let listing = try Subprocess.run(["readelf", "-rW", path]).standardOutput
        return (try ELFImage(try ForeignFile.contents(of: path)), listing)
    }

    @Test(
        "The slots of imported functions are those that readelf lists",
        arguments: [["-Wl,-z,lazy"], ["-Wl,-z,now"], ["-fno-plt"], ["-s"]])
    func imports(options: [String]) throws {
        let (image, relocations) = try library(options)
        let imports = try #require(image.imports)
        var names: Set<String> = []
        for line in relocations.split(separator: "\n") {
            let fields = line.split(separator: " ").map(String.init)
            guard fields.count > 4, let slot = UInt64(fields[0], radix: 16),
                ["R_X86_64_JUMP_SLOT", "R_X86_64_GLOB_DAT"].contains(fields[2])
            else { continue }
            let name = String(fields[4].split(separator: "@")[0])
            #expect(imports.function(atSlot: slot) == .named(name))
            #expect(imports.function(atSlot: slot + 1) == nil)
            names.insert(name)
        }
        #expect(names.contains("abort"))
    }

    @Test("Exported functions are found by name, imported ones are not among them")
    func exports() throws {
        let image = try library([]).image
        let exports = ELFExports(image)
        let function = try #require(exports.function(named: "own_function"))
        #expect(!function.isIndirect)
        let symbols = ELFSymbolTable(image)
        #expect(symbols.symbol(containing: function.address)?.name == "own_function")
        #expect(exports.function(named: "abort") == nil)
        #expect(exports.function(named: "own") == nil)
    }

    @Test("In a stripped file a label without a size does not name what is far behind it")
    func labels() throws {
        for (options, name) in [([], "short_label"), (["-s"], nil)] as [([String], String?)] {
            let image = try library(options).image
            let start = try #require(ELFExports(image).function(named: "short_label")).address
            let symbols = ELFSymbolTable(image)
            #expect(symbols.symbol(containing: start + 100)?.name == "short_label")
            #expect(symbols.symbol(containing: start + 399)?.name == name)
        }
    }
}
