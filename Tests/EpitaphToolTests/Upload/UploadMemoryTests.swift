// SPDX-License-Identifier: Apache-2.0

import EpitaphTestSupport
import Foundation
import Testing

@Suite("What sending a large report takes")
struct UploadMemoryTests {
    /// Files a report of `mebibytes` that nothing can compress, sends it, and returns the sender's
    /// peak of resident memory in KiB: ru_maxrss, getrusage(2).
    private func peakSending(mebibytes: Int) throws -> Int {
        let collector = try TestServer.collector("ok")
        let sample = try SampleDatabase()
        let noise = try #require(FileHandle(forReadingAtPath: "/dev/urandom"))
        let bytes = try #require(try noise.read(upToCount: mebibytes << 20))
        try sample.file(Array(bytes), id: "11111111-2222-4333-8444-555555555555")
        let script = """
            import resource, subprocess, sys
            subprocess.run(sys.argv[1:], check=True, stdout=subprocess.DEVNULL)
            print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
            """
        let run = try Subprocess.run([
            "python3", "-c", script, Products.executable("dump-convert"), "upload", "--database",
            sample.path, "--url", collector.url, "--once",
        ])
        #expect(try sample.files(in: "completed").count { $0.hasSuffix(".dmp") } == 1)
        let text = run.standardOutput.trimmingCharacters(in: .whitespacesAndNewlines)
        return try #require(Int(text), "\(run.standardError)")
    }

    /// Read for compressing it, read again while it is sent, and never held as a whole.
    @Test("The peak of memory does not grow with the report")
    func flat() throws {
        let small = try peakSending(mebibytes: 1)
        let large = try peakSending(mebibytes: 48)
        #expect(large - small < 12 << 10, "\(small) KiB, \(large) KiB")
    }
}
