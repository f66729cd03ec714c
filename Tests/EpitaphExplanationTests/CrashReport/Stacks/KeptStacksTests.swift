// SPDX-License-Identifier: Apache-2.0

import EpitaphConversion
import EpitaphExplanation
import EpitaphMinidump
import EpitaphPages
import EpitaphTestSupport
import EpitaphUnwinding
import EpitaphValues
import Foundation
import Testing

@Suite("A report whose program and library were replaced after it was filed")
struct KeptStacksTests {
    private static let library = """
        int (*volatile callback)(int);
        __attribute__((noinline)) int through(int value, int (*function)(int)) {
            callback = function;
            char room[value]; room[0] = 1;
            return callback(value) + room[0];
        }

        """
    private static let program = """
        #define KEEP __attribute__((noinline))
        int through(int value, int (*function)(int));
        int *volatile nowhere; volatile int returned;
        static inline __attribute__((always_inline)) void inner(int value) { *nowhere = value; }
        static KEEP int back(int value) { inner(value); return value + 1; }
        KEEP int work(int depth) {
            int result = depth == 0 ? through(32, back) : work(depth - 1);
            returned++;
            return result;
        }
        int main(int count, char **arguments) { (void)arguments; return work(count + 2); }

        """

    let directory: TemporaryDirectory
    let program: String
    let library: String
    /// As the dump has it.
    let crash: ProcessSnapshot
    /// What the file says that the dump became.
    let filed: ProcessSnapshot

    init() throws {
        directory = try TemporaryDirectory()
        (program, library) = try Self.build(
            Self.program, Self.library, ["-O1", "-g", "-fno-omit-frame-pointer"], in: directory)
        crash = try DebuggedProgram(running: [program], in: directory).snapshot
        var snapshot = crash
        StackKeeper().keep(in: &snapshot)
        filed = try Self.throughMinidump(snapshot)
    }

    private static func build(
        _ source: String, _ librarySource: String, _ options: [String],
        in directory: TemporaryDirectory
    ) throws -> (String, String) {
        try directory.write(Array(librarySource.utf8), to: "through.c")
        let library = directory.path("libthrough.so")
        let compiler = try Subprocess.run(
            [
                "clang", "-shared", "-fPIC", "-Wl,--build-id", "-o", library,
                directory.path("through.c"),
            ] + options)
        guard compiler.ending == .exited(0) else {
            throw CrashingProgram.CompilerFailed(output: compiler.standardError)
        }
        let program = try CrashingProgram.compile(
            options + [library, "-Wl,-rpath,\(directory.path("."))"], in: directory,
            source: source)
        return (program, library)
    }

    private static func throughMinidump(_ snapshot: ProcessSnapshot) throws -> ProcessSnapshot {
        var bytes = ByteBuilder()
        MinidumpWriter(snapshot: snapshot, reportID: nil, clientID: nil).write(to: &bytes)
        let contents = try MinidumpReader.read(ByteSlice(bytes.bytes))
        #expect(contents.readingDamage.isEmpty)
        return contents.snapshot
    }

    /// Other builds in the place of both: an upgrade.
    private func upgrade() throws {
        // The old file lives on under another name: a new one must not get its inode number.
        let library = directory.path("libthrough.so")
        try FileManager.default.linkItem(atPath: library, toPath: library + ".old")
        _ = try Self.build(
            "int through(int, int (*)(int));\nint main(void) { return through(1, 0); }\n",
            "int through(int value, int (*function)(int)) { return function ? value : 7; }\n",
            ["-O2"], in: directory)
    }

    private func explained(_ snapshot: ProcessSnapshot) -> CrashExplanation {
        CrashExplanation(snapshot, images: InstalledImages())
    }

    /// What is shown for each frame.
    private func frames(_ snapshot: ProcessSnapshot) throws -> [String] {
        try #require(explained(snapshot).crashingThread?.stack?.frames).map { frame in
            let source = frame.source.map { "\($0.file):\($0.line ?? 0):\($0.column ?? 0)" }
            return "\(frame.index) \(frame.address) \(frame.function ?? "??") "
                + "\(frame.functionOffset ?? 0) \(source ?? "") \(frame.isInlined) "
                + "\(frame.place?.moduleName ?? "") \(frame.foundBy)"
        }
    }

    @Test("has the frames, names and lines it had before", arguments: ["replaced", "deleted"])
    func replaced(way: String) throws {
        let before = try frames(crash)
        #expect(before.contains { $0.contains(" back ") && $0.contains("/crash.c:5:") })
        #expect(before.contains { $0.contains(" inner ") && $0.contains(" true ") })
        #expect(before.contains { $0.contains(" through ") && $0.contains("/through.c:5:") })
        #expect(before.filter { $0.contains(" work ") }.count == 4)
        #expect(try frames(filed) == before)
        if way == "replaced" {
            try upgrade()
        } else {
            try FileManager.default.removeItem(atPath: program)
            try FileManager.default.removeItem(atPath: library)
        }
        #expect(try frames(filed) == before)
        // Without what was kept there is next to nothing.
        var bare = filed
        bare.keptStacks = nil
        for index in bare.modules.indices { bare.modules[index].keptCallFrames = nil }
        #expect(try !frames(bare).contains { $0.contains(" work ") })
    }

    @Test("says which names were kept, in text and in JSON, and what is wrong with the files")
    func marks() throws {
        #expect(!TextReport(explained(filed)).lines.contains { $0.contains("filed") })
        #expect(!JSONReport(explained(filed)).text.contains("isNameKept"))
        try upgrade()
        var filed = filed
        for index in filed.modules.indices { filed.modules[index].fileState = .same }
        let lines = TextReport(explained(filed)).lines
        #expect(lines.contains { $0.contains(" work ") && $0.hasSuffix("(named when filed)") })
        #expect(lines.contains { $0.contains("\(library) was replaced after the crash") })
        #expect(lines.contains { $0.contains(" frames as named when the report was filed") })
        let tables = lines.first {
            $0.contains("with the tables as found when the report was filed")
        }
        #expect(tables?.contains("libthrough.so") == true)
        let json = JSONReport(explained(filed)).text
        #expect(json.contains("\"isNameKept\": true"))
        #expect(json.contains("\"readingNotes\": ["))
    }

    @Test("is unwound afresh by the call frame information that was kept, without the frames")
    func freshUnwinding() throws {
        let before = StackUnwinder(snapshot: crash, images: InstalledImages()).unwindException()
        try upgrade()
        var snapshot = filed
        snapshot.keptStacks = nil
        let unwinder = StackUnwinder(snapshot: snapshot, images: InstalledImages())
        let fresh = try #require(unwinder.unwindException())
        #expect(fresh.frames.map(\.instructionPointer) == before?.frames.map(\.instructionPointer))
        #expect(fresh.frames.map(\.foundBy) == before?.frames.map(\.foundBy))
        #expect(fresh.end == .reachedEnd)
    }

    @Test("is shown by the frames that were kept, where their call frame information is gone")
    func keptFrames() throws {
        let before = try frames(crash)
        try upgrade()
        let snapshot = withoutTables(filed)
        #expect(try frames(snapshot) == before)
        let explanation = explained(snapshot)
        #expect(explanation.crashingThread?.stack?.isKept == true)
        #expect(explanation.readingNotes.contains("1 stack as found when the report was filed"))
        // It came with the report: shown, and no proof.
        #expect(!explanation.completeness.isComplete)
        #expect(
            explanation.completeness.unproven.contains(
                "the stack of 1 thread is as found when the report was filed, and nothing at hand "
                    + "proves it"))
        #expect(JSONReport(explanation).text.contains("\"isKept\": true"))
        #expect(
            TextReport(explanation).lines.contains {
                $0.contains("these frames were found when the report was filed")
            })
    }

    /// Neither call frame information nor frame pointers.
    private func withoutTables(_ filed: ProcessSnapshot) -> ProcessSnapshot {
        var snapshot = filed
        for index in snapshot.modules.indices { snapshot.modules[index].keptCallFrames = nil }
        if case .x86_64(var registers) = snapshot.exception?.registers {
            registers.rbp = 0
            snapshot.exception?.registers = .x86_64(registers)
        }
        return snapshot
    }

    @Test("is not believed where its stack holds something else, or its code lies nowhere")
    func contradictions() throws {
        try upgrade()
        let honest = withoutTables(filed)
        let kept = try #require(honest.keptStacks)
        let work = try #require(
            explained(honest).crashingThread?.stack?.frames.first { $0.function == "work" })

        // Another return address than the stack has.
        var lie = honest
        let place = try #require(kept.frames.firstIndex { $0.instructionPointer == work.address })
        lie.keptStacks?.frames[place].instructionPointer &+= 16
        lie.keptStacks?.frames[place].lookupAddress &+= 16
        let cut = try #require(explained(lie).crashingThread?.stack)
        #expect(!cut.frames.contains { $0.function == "work" || $0.function == "main" })
        #expect(cut.whyIncomplete != nil)

        // A frame in memory that holds no code.
        lie = honest
        lie.keptStacks?.frames[place].instructionPointer = 0x1234
        lie.keptStacks?.frames[place].lookupAddress = 0x1233
        let nowhere = try #require(explained(lie).crashingThread?.stack)
        #expect(!nowhere.frames.contains { $0.address == 0x1234 })
        #expect(nowhere.whyIncomplete != nil)

        // A stack that does not begin at the fault is another one's.
        lie = honest
        lie.exception?.registers = Self.moved(honest.exception?.registers)
        #expect(explained(lie).crashingThread?.stack?.isKept == false)

        // A frame found in an unknown way counts as likely and no more.
        lie = honest
        lie.keptStacks?.frames[place].foundBy = "certainty"
        let doubtful = try #require(explained(lie).crashingThread?.stack)
        #expect(
            doubtful.frames.allSatisfy { $0.address != work.address || $0.foundBy == .stackScan })
    }

    private static func moved(_ registers: RegisterSnapshot?) -> RegisterSnapshot? {
        guard case .x86_64(var registers) = registers else { return nil }
        registers.rip &+= 1
        return .x86_64(registers)
    }

    @Test("never overrules the right file where that is at hand")
    func rightFileWins() throws {
        let before = try frames(crash)
        var lie = filed
        for index in lie.keptStacks?.calls.indices ?? 0..<0 {
            lie.keptStacks?.calls[index].function = "invented"
            lie.keptStacks?.calls[index].linkageName = nil
            lie.keptStacks?.calls[index].line = 666
        }
        lie.keptStacks?.stacks = []
        #expect(try frames(lie) == before)
        // The right build without its debug information has function names but no lines.
        _ = try Subprocess.run(["strip", "--strip-debug", program, library])
        let names = try frames(lie)
        #expect(!names.contains { $0.contains("invented") })
        #expect(names.contains { $0.contains(" work ") })
        // What was known then about the same function is used.
        #expect(try frames(filed) == before)
    }

    @Test("may say anything about its stacks: nothing traps, and no stack grows without end")
    func hostile() throws {
        try upgrade()
        var random = SplitMix(state: 3)
        let honest = withoutTables(filed)
        for _ in 0..<Sweep.count(60, oneOf: 5) {
            var lie = honest
            for index in lie.keptStacks?.steps.indices ?? 0..<0 {
                guard Int.random(in: 0..<3, using: &random) == 0 else { continue }
                lie.keptStacks?.steps[index] = .init(
                    frame: Int.random(in: -1..<40, using: &random),
                    distance: Int64.random(in: .min ... .max, using: &random))
            }
            for index in lie.keptStacks?.places.indices ?? 0..<0 {
                lie.keptStacks?.places[index].firstCall = Int.random(in: -9...90, using: &random)
                lie.keptStacks?.places[index].callCount = Int.random(
                    in: -9...Int.max, using: &random)
            }
            for index in lie.modules.indices {
                lie.modules[index].keptCallFrames = KeptCallFrames(
                    loadBias: .random(in: 0 ... .max, using: &random),
                    entries: ByteSlice(
                        (0..<200).map { _ in UInt8.random(in: 0...255, using: &random) }))
            }
            let stack = explained(lie).crashingThread?.stack
            #expect((stack?.frames.count ?? 0) < 10_000)
        }
    }
}
