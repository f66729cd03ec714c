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
        typedef unsigned long size;
        static inline __attribute__((always_inline)) void sweep(
            const shop::Ledger *, size n, int (*)(char **)) { *nowhere = (int)n; }
        static inline __attribute__((always_inline)) void sweep(shop::Ledger &) { *nowhere = 2; }
        int main(int count, char **arguments) {
            shop::Ledger ledger;
            if (arguments[1][0] == 't') shop::use_till();
            if (arguments[1][0] == '2') shop::each([](int n) { *nowhere = n + 1; });
            if (arguments[1][0] == 's') sweep(&ledger, 3, nullptr);
            if (arguments[1][0] == 'o') sweep(ledger);
            if (arguments[1][0] == '3') { shop::each([&](int n) { *nowhere = n + count; }); }
            return ledger.book(arguments[1][0] - '0');
        }

        """

    private func frames(
        _ way: String, optimising: Bool = true, debugging: String = "-g2"
    ) throws -> [SourceFrame] {
        let directory = try TemporaryDirectory()
        let inlining = "inline __attribute__((always_inline))"
        let source =
            optimising ? Self.source : Self.source.replacing(inlining, with: "inline")
        try directory.write(Array(source.utf8), to: "shop.cpp")
        let program = directory.path("shop")
        let compiler = try Subprocess.run(
            [
                "g++", optimising ? "-O2" : "-O0", "-g", debugging, "-Wl,--build-id", "-o", program,
                directory.path("shop.cpp"),
            ])
        #expect(compiler.ending == .exited(0))
        let debugged = try DebuggedProgram(running: [program, way], in: directory)
        let images = InstalledImages()
        let backtrace = StackUnwinder(snapshot: debugged.snapshot, images: images)
            .unwindException()
        let frame = try #require(backtrace?.frames.first)
        return Symbolicator(snapshot: debugged.snapshot, images: images).symbolicate(frame)
    }

    private func names(_ way: String) throws -> [String?] {
        try frames(way).map(\.function)
    }

    @Test("Two closures of one function have different names, with what they stand in")
    func closures() throws {
        // Those of main have no name for linkers, which a function that others can see has.
        let first = try names("2")
        let second = try names("3")
        #expect(first.first == "main::{lambda(int)#1}::operator()(int) const")
        #expect(second.first == "main::{lambda(int)#2}::operator()(int) const")
        #expect(first.count == 3 && first[1]?.hasPrefix("shop::each<") == true)
        #expect(first.last == "main")
        #expect(
            try names("1").first
                == "shop::Ledger::book(int)::{lambda(int)#1}::operator()(int) const")
    }

    @Test("What is in a namespace without a name is named with it, and with its class")
    func anonymousNamespace() throws {
        let names = try names("t")
        #expect(names.first == "shop::(anonymous namespace)::Till::open(int)")
        #expect(names.last == "shop::use_till()")
    }

    @Test("What only one file can see has the types of its parameters, which tell overloads apart")
    func overloads() throws {
        #expect(
            try names("s").first == "sweep(shop::Ledger const*, unsigned long, int (*)(char**))")
        #expect(try names("o").first == "sweep(shop::Ledger&)")
    }

    @Test(
        "With link-time optimisation, where what runs was declared in another unit, names are whole"
    )
    func linkTimeOptimisation() throws {
        #expect(
            try frames("2", debugging: "-flto").first?.function
                == "main::{lambda(int)#1}::operator()(int) const")
        #expect(try frames("o", debugging: "-flto").first?.function == "sweep(shop::Ledger&)")
    }

    @Test("Information for lines alone does not say that a function takes nothing")
    func linesAlone() throws {
        #expect(try frames("s", debugging: "-g1").first?.function == "sweep")
        let called = try frames("s", optimising: false, debugging: "-g1").first?.function
        #expect(called == "sweep(shop::Ledger const*, unsigned long, int (*)(char**))")
    }

    @Test(
        "Inlined or not, a function has the same name and the same line",
        arguments: ["1", "2", "3", "t", "s", "o"])
    func sameName(way: String) throws {
        let inlined = try #require(try frames(way).first)
        let called = try #require(try frames(way, optimising: false).first)
        #expect(inlined.isInlined && !called.isInlined)
        #expect(inlined.shortFunction == called.shortFunction)
        #expect(inlined.functionLine != nil && inlined.functionLine == called.functionLine)
    }
}
