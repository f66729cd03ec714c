// SPDX-License-Identifier: Apache-2.0

import EpitaphSymbols
import EpitaphTestSupport
import EpitaphUnwinding
import Testing

/// Functions of GCC's C++ that have no name for linkers.
struct EnclosingNamesTests {
    private static let source = """
        int *volatile nowhere; volatile int zero;
        namespace shop {
        template <class Body> inline __attribute__((always_inline)) void each(Body body) { body(zero); }
        struct Ledger {
            __attribute__((noinline)) int book(int way) {
                if (way == 1) each([](int n) { *nowhere = n; });
                return zero;
            }
        };
        namespace {
        struct Till {
            inline __attribute__((always_inline)) void open(int n) { *nowhere = n; }
        };
        }
        __attribute__((noinline)) void use_till() { Till().open(3); zero = 1; }
        }
        int main(int count, char **arguments) {
            shop::Ledger ledger;
            if (arguments[1][0] == 't') shop::use_till();
            if (arguments[1][0] == '2') shop::each([](int n) { *nowhere = n + 1; });
            if (arguments[1][0] == '3') { shop::each([&](int n) { *nowhere = n + count; }); }
            return ledger.book(arguments[1][0] - '0');
        }

        """

    private func names(_ way: String) throws -> [String?] {
        let directory = try TemporaryDirectory()
        try directory.write(Array(Self.source.utf8), to: "shop.cpp")
        let program = directory.path("shop")
        let compiler = try Subprocess.run(
            ["g++", "-O2", "-g", "-Wl,--build-id", "-o", program, directory.path("shop.cpp")])
        #expect(compiler.ending == .exited(0))
        let debugged = try DebuggedProgram(running: [program, way], in: directory)
        let images = InstalledImages()
        let backtrace = StackUnwinder(snapshot: debugged.snapshot, images: images)
            .unwindException()
        let frame = try #require(backtrace?.frames.first)
        return Symbolicator(snapshot: debugged.snapshot, images: images).symbolicate(frame)
            .map(\.function)
    }

    @Test("Two closures of one function have different names, with what they stand in")
    func closures() throws {
        // Those of main have no name for linkers, which a function that others can see has.
        let first = try names("2")
        let second = try names("3")
        #expect(first.first == "main::{lambda#1}::operator()")
        #expect(second.first == "main::{lambda#2}::operator()")
        #expect(first.count == 3 && first[1]?.hasPrefix("shop::each<") == true)
        #expect(first.last == "main")
        #expect(
            try names("1").first
                == "shop::Ledger::book(int)::{lambda(int)#1}::operator()(int) const")
    }

    @Test("What is in a namespace without a name is named with it, and with its class")
    func anonymousNamespace() throws {
        let names = try names("t")
        #expect(names.first == "shop::(anonymous namespace)::Till::open")
        #expect(names.last == "shop::use_till()")
    }
}
