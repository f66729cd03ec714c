// SPDX-License-Identifier: Apache-2.0

import EpitaphELF
import EpitaphSystem
import EpitaphTestSupport
import EpitaphUnwinding
import EpitaphValues
import Testing

@testable import EpitaphSymbols

/// Our reader of entries against libdw's.
struct FunctionEntriesTests {
    private static let c = """
        struct list { struct list *next; union { int number; char text[4]; } value; };
        static int add(int a, int b) { return a + b; }
        int sum(struct list *list) {
            int nested(int n) { return add(n, list->value.number); }
            int total = 0;
            for (; list; list = list->next) { int next = nested(total); total = next; }
            return total;
        }
        int main(int count, char **words) { (void)words; return sum(0) + add(count, 1); }

        """
    private static let cxx = """
        #include <map>
        #include <string>
        namespace outer { namespace {
        template <typename T> struct Shelf {
            std::map<std::string, T> books;
            T at(const std::string &name) { return [&] { return books.at(name); }(); }
        };
        } }
        int main(int count, char **words) {
            outer::Shelf<int> shelf{{{words[0], count}}};
            try { return shelf.at("x"); } catch (...) { return 1; }
        }

        """
    private static let swift = """
        enum Shelf { struct Book { var pages: [Int]; func sum() -> Int { pages.reduce(0, +) } } }
        func read(_ book: Shelf.Book) -> Int {
            func half(_ count: Int) -> Int { count / 2 }
            return [1, 2].map { half($0) + book.sum() }.count
        }
        print(read(.init(pages: [1])))

        """

    @Test(
        "The functions of each unit are those that libdw finds",
        arguments: [
            "gcc -O0 -gdwarf-4", "gcc -O2 -gdwarf-5", "gcc -O2 -g -gsplit-dwarf",
            "gcc -O2 -g -gz=zlib", "gcc -O2 -g -ffunction-sections -fdebug-types-section",
            "g++ -O0 -gdwarf-4", "g++ -O2 -gdwarf-5", "clang++ -O2 -g", "swiftc -O -g",
            "swiftc -Onone -g",
        ])
    func agreement(command: String) throws {
        let directory = try TemporaryDirectory()
        let words = command.split(separator: " ").map(String.init)
        let (suffix, source) =
            switch words[0] {
            case "gcc": ("c", Self.c)
            case "swiftc": ("swift", Self.swift)
            default: ("cc", Self.cxx)
            }
        try directory.write(Array(source.utf8), to: "main." + suffix)
        let program = directory.path("program")
        let compiler = try Subprocess.run(
            words + ["-o", program, directory.path("main." + suffix)])
        try #require(compiler.ending == .exited(0), "\(compiler.standardError)")
        let image = try ELFImage(try FileBytes.contents(of: program))
        let budget = WorkBudget()
        let main = try LibdwFile(image)
        let split = SplitUnits(of: main, paths: [program], budget)
        var functionCount = 0
        for entry in main.unitEntries(budget) {
            let unit = split.unit(of: entry)
            let file = unit?.addresses.split ?? main
            let root = unit?.entry ?? entry
            var found: [UInt64] = []
            let isRead = file.functions.visit(below: root, depthLimit: 128, budget) {
                found.append($0.offset)
                return true
            }
            #expect(isRead)
            #expect(found == functions(below: root, budget))
            functionCount += found.count
        }
        #expect(functionCount >= 2)
    }

    private func functions(below root: DIE, _ budget: WorkBudget) -> [UInt64] {
        var found: [UInt64] = []
        root.walk(depthLimit: 128, budget) { entry, _ in
            // DW_AT_high_pc, DW_AT_ranges
            let hasCode = entry.attribute(0x12) != nil || entry.attribute(0x55) != nil
            if entry.tag == .function, hasCode { found.append(entry.offset) }
            return entry.tag.mayHoldFunctions ? .into : .past
        }
        return found
    }

    @Test("A unit that ends early is left to libdw")
    func cut() throws {
        let directory = try TemporaryDirectory()
        let program = try ProgramFile.compile(
            ProgramFile.inliningSource, as: "main.c", ["-O2", "-g"], in: directory)
        var bytes = try FileBytes.contents(of: program).array
        let image = try ELFImage(ByteSlice(bytes))
        let section = try #require(image.section(named: ".debug_info"))
        // The null entries that end the lists of siblings become the first kind of entry.
        let end = Int(section.fileOffset + section.size)
        try #require(bytes[end - 1] == 0)
        bytes[end - 1] = 1
        let file = try LibdwFile(try ELFImage(ByteSlice(bytes)))
        let budget = WorkBudget()
        let root = try #require(file.unitEntries(budget).last)
        #expect(!file.functions.visit(below: root, depthLimit: 128, budget) { _ in true })
    }
}
