// SPDX-License-Identifier: Apache-2.0

import EpitaphELF
import EpitaphSymbols
import EpitaphSystem
import EpitaphTestSupport
import EpitaphValues
import Testing

struct DamagedDebugInformationTests {
    private static let source = """
        #include <stdlib.h>
        #include <string.h>
        volatile int sink;
        static inline __attribute__((always_inline)) int third(int value) { return value * sink; }
        static inline __attribute__((always_inline)) int second(int value) {
            for (int i = 0; i < value; i++) sink += third(i);
            return sink;
        }
        __attribute__((noinline)) int alpha(int value) {
            if (value > 1000) abort();
            return second(value) + second(value / 2);
        }
        __attribute__((noinline)) int beta(int value) { return alpha(value) - second(value); }
        __attribute__((noinline)) int gamma_(int value) { return beta(value) * alpha(value + 1); }
        int main(int count, char **arguments) { return gamma_(count + (int)strlen(arguments[0])); }

        """
    private static let functions = ["alpha", "beta", "gamma_", "main"]

    private static let sections = [
        ".debug_info", ".debug_line", ".debug_abbrev", ".debug_ranges", ".debug_rnglists",
        ".debug_str_offsets", ".debug_addr", ".debug_str", ".debug_line_str",
    ]

    @Test(
        "Damaged debug information costs names, but gives no function another's",
        arguments: [["-gdwarf-4"], ["-gdwarf-5"], ["-gdwarf-5", "-gz=zlib"]])
    func damage(options: [String]) throws {
        let directory = try TemporaryDirectory()
        let program = try ProgramFile.compile(
            Self.source, as: "main.c", ["-O2"] + options, in: directory)
        let whole = try FileBytes.contents(of: program)
        let addresses = try ProgramFile.addresses(in: program)
        let image = try ELFImage(whole)
        let present = Self.sections.compactMap { image.section(named: $0) }.filter { $0.size > 0 }
        #expect(present.count >= 5)
        var generator = SplitMix(state: 20_261_122)
        for section in present {
            for _ in 0..<60 {
                var bytes = whole.array
                for _ in 0...generator.next() % 3 {
                    let offset = section.fileOffset + generator.next() % section.size
                    let bit = UInt8(1) << UInt8(generator.next() % 8)
                    bytes[Int(offset)] =
                        generator.next() % 2 == 0
                        ? bytes[Int(offset)] ^ bit : UInt8(truncatingIfNeeded: generator.next())
                }
                try check(bytes, of: program, addresses)
            }
        }
    }

    @Test("A file cut anywhere costs names, but gives no function another's")
    func cuts() throws {
        let directory = try TemporaryDirectory()
        let program = try ProgramFile.compile(
            Self.source, as: "main.c", ["-O2", "-g"], in: directory)
        let whole = try FileBytes.contents(of: program).array
        let addresses = try ProgramFile.addresses(in: program)
        for length in stride(from: 64, to: whole.count, by: 97) {
            guard (try? ELFImage(ByteSlice(Array(whole[..<length])))) != nil else { continue }
            try check(Array(whole[..<length]), of: program, addresses)
        }
    }

    /// The physical function of every address is the true one or none.
    private func check(
        _ bytes: [UInt8], of program: String, _ addresses: [String: UInt64]
    ) throws {
        let images = try OneImage(ByteSlice(bytes), path: program)
        let file = try ProgramFile(program, images: images, addresses: addresses)
        for function in Self.functions {
            for offset: UInt64 in [0, 5, 9] {
                let calls = try file.calls(in: function, plus: offset)
                let name = try #require(calls.last).function
                #expect(name == function || name == nil)
            }
        }
    }
}
