// SPDX-License-Identifier: Apache-2.0

import EpitaphELF
import EpitaphSystem
import EpitaphTestSupport
import EpitaphValues
import Foundation
import Testing

@Suite("dump-convert symbols collect")
struct SymbolsCollectTests {
    let directory: TemporaryDirectory
    let store: String

    init() throws {
        directory = try TemporaryDirectory()
        store = directory.path("store")
    }

    static let source = """
        volatile int sink;
        static inline __attribute__((always_inline)) int inner(int value) { return value * sink; }
        __attribute__((noinline)) int outer(int value) { return inner(value) + inner(sink); }
        int main(int count, char **arguments) { (void)arguments; return outer(count); }

        """

    /// A program of the directory, linked with a build id unless the options say otherwise.
    private func compile(_ options: [String], as name: String = "program") throws -> String {
        try directory.write(Array(Self.source.utf8), to: "main.c")
        let program = directory.path(name)
        try runTool(
            ["clang", "-O1", "-Wl,--build-id", "-o", program, directory.path("main.c")] + options)
        return program
    }

    private func collect(_ words: String...) throws -> Subprocess {
        try dumpConvert(["symbols", "collect", "-o", store] + words)
    }

    private func name(of path: String) throws -> String {
        let id = try ELFImage(try FileBytes.contents(of: path)).buildID.hexDigits
        return ".build-id/\(id.prefix(2))/\(id.dropFirst(2))"
    }

    private func files() throws -> [String] {
        try Subprocess.run(["find", store, "-type", "f", "-printf", "%P %m\n"]).standardOutput
            .split(separator: "\n").map(String.init).sorted()
    }

    @Test(
        "A program, its libraries and its debug file are stored by build id, readable and no more")
    func layout() throws {
        let program = try compile(["-g"])
        try runTool(["objcopy", "--only-keep-debug", program, program + ".debug"])
        try runTool(["objcopy", "-g", "--add-gnu-debuglink=\(program).debug", program])
        try runTool(["chmod", "6755", program])
        try runTool(["chmod", "644", program + ".debug"])
        let result = try collect("--no-libraries", program)
        #expect(result.ending == .exited(0), "\(result.standardError)")
        let name = try name(of: program)
        #expect(try files() == ["\(name) 755", "\(name).debug 644"])

        let all = try collect(program)
        #expect(all.ending == .exited(0), "\(all.standardError)")
        let lines = all.standardOutput.split(separator: "\n")
        #expect(lines.first == "present  \(name)  \(program)")
        for library in ["/libc.so.6", "/ld-linux-"] {
            #expect(lines.contains { $0.hasPrefix("added ") && $0.contains(library) })
        }
    }

    @Test("What is there stays as it is, also where several collect at once")
    func again() throws {
        let program = try compile(["-g"])
        let command = [Products.executable("dump-convert"), "symbols", "collect", "-o", store]
        let processes = try (0..<4).map { _ in try Subprocess.spawn(command + [program]) }
        for process in processes {
            #expect(Subprocess.wait(for: process, deadlineSeconds: 60) == .exited(0))
        }
        let before = try files()
        let path = try store + "/" + name(of: program)
        let stamp = try FileDescriptor.openForReading(path).fileStatus().stamp
        let again = try collect(program)
        #expect(again.ending == .exited(0))
        #expect(!again.standardOutput.contains("added  "))
        #expect(again.standardOutput.contains("0 files added"))
        #expect(try FileDescriptor.openForReading(path).fileStatus().stamp == stamp)
        #expect(try files() == before)
        #expect(!before.contains { $0.contains("partial") })

        // One that was cut off otherwise is not what reports need.
        let handle = try #require(FileHandle(forWritingAtPath: path))
        try handle.truncate(atOffset: 5_000)
        let mended = try collect(program)
        #expect(mended.standardOutput.contains("replaced "))
        #expect(try Data(contentsOf: URL(fileURLWithPath: path)).count == stamp.sizeBytes)
    }

    @Test("What an interrupted process left goes, and what is not known to be left stays")
    func leftovers() throws {
        let program = try compile(["-g"])
        let folder = try store + "/" + name(of: program).prefix(12)
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: true)
        for name in [
            ".collect-abc.partial", ".collect-123.partial", ".collect-no.partial", "other",
        ] {
            try Data("part".utf8).write(to: URL(fileURLWithPath: folder + "/" + name))
        }
        let used = try FileDescriptor.openForReading(folder + "/.collect-123.partial")
        #expect(try used.tryLocking(.exclusive))
        #expect(try collect("--no-libraries", program).ending == .exited(0))
        let names = try FileManager.default.contentsOfDirectory(atPath: folder)
        #expect(!names.contains(".collect-abc.partial"))
        for name in [".collect-123.partial", ".collect-no.partial", "other"] {
            #expect(names.contains(name))
        }
        used.unlock()
        // Also where nothing has to be copied.
        #expect(try collect("--no-libraries", program).ending == .exited(0))
        let left = try FileManager.default.contentsOfDirectory(atPath: folder)
        #expect(!left.contains(".collect-123.partial"))
    }

    @Test("A program without a build id is named, with what to do, and the others are stored")
    func withoutBuildID() throws {
        let nameless = try compile(["-Wl,--build-id=none"], as: "nameless")
        let program = try compile(["-g"])
        let result = try collect("--no-libraries", nameless, program)
        result.expectFailure(
            1,
            saying: "\(nameless) is not stored: it has no build id, so no report could ask for it; "
                + "link it with -Wl,--build-id")
        #expect(try files().count == 1 || files().count == 2)
    }

    @Test("A directory stands for the programs below it, and links to them are not followed twice")
    func directories() throws {
        let program = try compile(["-g"])
        try runTool(["ln", "-s", program, directory.path("alias")])
        try runTool(["mkdir", directory.path("empty")])
        let result = try collect("--no-libraries", directory.path, directory.path("alias"))
        #expect(result.ending == .exited(0), "\(result.standardError)")
        let name = try name(of: program)
        #expect(try files() == ["\(name) 755", "\(name).debug 755"])
        let nothing = try collect(directory.path("empty"))
        nothing.expectFailure(1, saying: "there is no program or library in")
        #expect(try collect(directory.path("none")).ending == .exited(3))
    }

    @Test("Libraries are found by $ORIGIN, and one that is not there is named with its program")
    func libraries() throws {
        let library = directory.path("lib/libinner.so")
        try runTool(["mkdir", directory.path("lib")])
        try directory.write(Array("int inside(void) { return 3; }".utf8), to: "inner.c")
        try runTool([
            "clang", "-shared", "-fPIC", "-Wl,--build-id", "-Wl,-soname,libinner.so", "-o", library,
            directory.path("inner.c"),
        ])
        try directory.write(
            Array("int inside(void); int main(void) { return inside(); }".utf8), to: "use.c")
        let program = directory.path("use")
        try runTool([
            "clang", "-Wl,--build-id", "-o", program, directory.path("use.c"), library,
            "-Wl,-rpath,$ORIGIN/lib",
        ])
        let found = try collect(program)
        #expect(found.ending == .exited(0), "\(found.standardError)")
        #expect(found.standardOutput.contains(library))

        try runTool(["mv", library, directory.path("elsewhere.so")])
        let lost = try collect(program)
        lost.expectFailure(1, saying: "libinner.so, which \(program) needs, is not there")
        try runTool(["mkdir", directory.path("more")])
        try runTool(["mv", directory.path("elsewhere.so"), directory.path("more/libinner.so")])
        let named = try collect("--library-path", directory.path("more"), program)
        #expect(named.ending == .exited(0), "\(named.standardError)")
    }

    @Test("In another root absolute links stay inside, and its libraries are taken, not ours")
    func root() throws {
        let program = try compile(["-g"])
        let root = directory.path("root")
        let folder = "usr/lib/\(Machine.own.triplet)"
        try runTool(["mkdir", "-p", "\(root)/\(folder)", "\(root)/usr/bin", "\(root)/usr/lib64"])
        try runTool(["ln", "-s", "/usr/lib", "\(root)/lib"])
        try runTool(["ln", "-s", "/usr/lib64", "\(root)/lib64"])
        let loader = (Machine.own.loader as NSString).lastPathComponent
        try runTool(["cp", "-L", Machine.own.libc, Machine.own.loader, "\(root)/\(folder)"])
        try runTool(["ln", "-s", "/\(folder)/\(loader)", "\(root)/usr/lib64/\(loader)"])
        try runTool(["ln", "-s", "/\(folder)/\(loader)", "\(root)/usr/lib/\(loader)"])
        try runTool(["mv", program, "\(root)/usr/bin"])
        let result = try collect("--sysroot", root, "\(root)/usr/bin/program")
        #expect(result.ending == .exited(0), "\(result.standardError)")
        for file in ["usr/bin/program", "\(folder)/libc.so.6", "\(folder)/\(loader)"] {
            #expect(result.standardOutput.contains("  \(root)/\(file)\n"))
        }
        // Debug files are known by their build id, wherever they are.
        let ours = result.standardOutput.split(separator: "\n").filter {
            $0.contains("  /usr/") && !$0.contains("  /usr/lib/debug/")
        }
        #expect(ours == [])
    }

    @Test("The file into which dwz moved what programs share comes along, and is asked for once")
    func parts() throws {
        let first = try compile(["-gdwarf-4"], as: "first")
        let second = try compile(["-gdwarf-4", "-Dmain=start", "-nostartfiles"], as: "second")
        let common = directory.path("common.debug")
        try runTool(["dwz", "-m", common, "-M", "common.debug", first, second])
        let both = try collect("--no-libraries", first, second)
        #expect(both.ending == .exited(0), "\(both.standardError)")
        let alternate = try name(of: common) + ".debug"
        #expect(try files().contains { $0.hasPrefix(alternate) })

        try runTool(["rm", common])
        let missing = try collect("--no-libraries", first)
        #expect(missing.ending == .exited(0), "the store has it")
        try runTool(["rm", store + "/" + alternate])
        let lost = try collect("--no-libraries", first)
        lost.expectFailure(1, saying: "common.debug, into which dwz moved")
    }

    @Test("Breakpad's file has the functions, lines, inlined calls and frames of a library")
    func breakpad() throws {
        try directory.write(Array(Self.source.utf8), to: "main.c")
        let library = directory.path("libmain.so.1.2")
        try runTool([
            "clang", "-O1", "-g", "-shared", "-fPIC", "-Wl,--build-id", "-Wl,-soname,libmain.so.1",
            "-o", library, directory.path("main.c"),
        ])
        let result = try collect("--no-libraries", "--sym", library)
        #expect(result.ending == .exited(0), "\(result.standardError)")
        let id = try ELFImage(try FileBytes.contents(of: library)).buildID
            .map { String(format: "%02X", $0) }
        let order = [3, 2, 1, 0, 5, 4, 7, 6] + Array(8..<16)
        let debugID = order.map { id[$0] }.joined() + "0"
        let path = "libmain.so.1.2/\(debugID)/libmain.so.1.2.sym"
        let text = try String(contentsOfFile: store + "/" + path, encoding: .utf8)
        let second = "libmain.so.1/\(debugID)/libmain.so.1.sym"
        #expect(try String(contentsOfFile: store + "/" + second, encoding: .utf8) == text)

        let lines = text.split(separator: "\n")
        #expect(
            lines.first
                == "MODULE Linux \(Machine.own.rawValue == "aarch64" ? "arm64" : "x86_64") \(debugID) libmain.so.1.2"
        )
        #expect(lines.contains("INFO CODE_ID \(id.joined())"))
        #expect(lines.contains { $0.hasPrefix("FILE 0 ") && $0.hasSuffix("/main.c") })
        #expect(lines.contains("INLINE_ORIGIN 0 inner"))
        let start = try #require(
            lines.firstIndex { $0.hasPrefix("FUNC ") && $0.hasSuffix(" outer") })
        let records = lines[(start + 1)...].prefix {
            !$0.hasPrefix("FUNC ") && !$0.hasPrefix("STACK")
        }
        #expect(
            records.contains { $0.wholeMatch(of: #/INLINE 0 3 0 0 [0-9a-f]+ [0-9a-f]+/#) != nil })
        #expect(records.contains { $0.wholeMatch(of: #/[0-9a-f]+ [0-9a-f]+ 2 0/#) != nil })
        let function = lines[start].split(separator: " ")
        let frames = lines.contains { $0.hasPrefix("STACK CFI INIT \(function[1]) ") }
        #expect(frames && lines.contains { $0.contains(".cfa: ") && $0.contains(" .ra: ") })
        #expect(!text.contains("PUBLIC") || !text.contains("PUBLIC \(function[1]) "))

        let again = try collect("--no-libraries", "--sym", library)
        #expect(again.standardOutput.contains("present  \(path)"))
    }

    @Test("On a full disk it says so and leaves whole files, and with room it goes on")
    func fullDisk() throws {
        try #require(getuid() == 0, "only root can mount a disk of one's own")
        let program = try compile(["-g"])
        let script = """
            mkdir disk && mount -t tmpfs -o size=5m none disk || exit 79
            dd if=/dev/zero of=disk/filler bs=1k count=4300 2> errors
            $1 symbols collect -o disk/store $2 > out 2>&1; echo "status $?"
            grep -o 'there is no room left' out
            find disk/store -name '*partial*'
            rm disk/filler; mount -o remount,size=64m disk
            $1 symbols collect -o disk/store $2 > out2 2>&1; echo "status $?"
            mount -o remount,ro disk
            $1 symbols collect -o disk/other $2 > out3 2>&1; echo "status $?"
            grep -o 'the file system can only be read' out3
            """
        let result = try Subprocess.run([
            "unshare", "-m", "sh", "-c", "cd \(directory.path) && " + script, "sh",
            Products.executable("dump-convert"), program,
        ])
        #expect(
            result.standardOutput == """
                status 1
                there is no room left
                status 0
                status 1
                the file system can only be read

                """, "\(result.standardError)")
    }
}
