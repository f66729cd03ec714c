// SPDX-License-Identifier: Apache-2.0

import EpitaphIntermediateDump
import EpitaphTestSupport
import EpitaphValues
import Foundation
import Testing

/// Programs that linkers laid out in other ways than usual.
@Suite struct LinkingTests {
    static let main = """
        #include <epitaph.h>
        int main(int count, char **arguments) {
            epitaph_options options = EPITAPH_OPTIONS_DEFAULT;
            epitaph_error error;
            options.database_path = arguments[1];
            options.bundle_id = "org.example.linked";
            options.allows_debugger = 1;
            if (epitaph_start(&options, &error) != EPITAPH_OK) return 70 + count;
            *(volatile int *)16 = 1;
        }
        """

    static func link(_ flags: [String], in directory: TemporaryDirectory) throws -> String {
        let program = directory.path("program")
        try directory.write(Array(main.utf8), to: "main.c")
        let compiled = try Subprocess.run(
            ["gcc", "-std=gnu17", "-D_GNU_SOURCE", "-w", "-o", program, "-Wl,--build-id=sha1"]
                + Products.cHeaderOptions + flags + [directory.path("main.c")] + Products.cObjects
                + ["-lpthread", "-ldl"],
            deadlineSeconds: 120)
        try #require(compiled.ending == .exited(0), "\(compiled.standardError)")
        return program
    }

    /// A program without PT_PHDR does not say where it lies.
    @Test(
        "The executable's range and build id are true however the program is linked",
        arguments: [["-static-pie"], ["-static"], ["-no-pie"]])
    func executable(flags: [String]) throws {
        let directory = try TemporaryDirectory()
        let program = try Self.link(flags, in: directory)
        let result = try Subprocess.run([program, directory.path("db")], deadlineSeconds: 20)
        #expect(result.ending == .signalled(SIGSEGV))
        let folder = directory.path("db/pending-dumps")
        let name = try #require(Dummy.files(in: directory.path("db")).first)
        let bytes = try #require(FileManager.default.contents(atPath: folder + "/" + name))
        let snapshot = try IntermediateDump(ByteSlice(Array(bytes))).snapshot
        let module = try #require(snapshot.modules.first { $0.kind == .executable })
        let mappings = snapshot.mappings.filter { $0.path == module.path }
        #expect(module.path == program)
        #expect(mappings.map(\.addressRange.lowerBound).min() == module.addressRange.lowerBound)
        #expect(mappings.allSatisfy { module.addressRange.contains($0.addressRange.lowerBound) })
        let notes = try Subprocess.run(["readelf", "-n", program]).standardOutput
        let identifier = module.buildID.map { String(format: "%02x", $0) }.joined()
        #expect(identifier.count == 40)
        #expect(notes.contains("Build ID: " + identifier))
    }
}
