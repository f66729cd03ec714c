// SPDX-License-Identifier: Apache-2.0

import EpitaphHTTP
import EpitaphTestSupport
import EpitaphValues
import Foundation

/// Numbers that are the same every time: SplitMix64.
struct FixedRandom: RandomNumberGenerator {
    var state: UInt64 = 1

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
        return mixed ^ (mixed >> 31)
    }

    mutating func bytes(_ count: Int) -> [UInt8] {
        (0..<count).map { _ in UInt8(truncatingIfNeeded: next()) }
    }
}

extension BodySource {
    /// The rest of the body, read with buffers of `step` bytes.
    func readAll(step: Int = 65_536) throws -> [UInt8] {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: step, alignment: 1)
        defer { buffer.deallocate() }
        var all: [UInt8] = []
        while true {
            let count = try read(into: buffer)
            guard count > 0 else { return all }
            all += buffer[..<count]
        }
    }
}

/// Decompresses with Python's gzip module; nil when it refuses.
func gunzipped(_ bytes: [UInt8]) throws -> [UInt8]? {
    let directory = try TemporaryDirectory()
    let script = "import gzip,sys;open(sys.argv[2],'wb').write(gzip.open(sys.argv[1]).read())"
    let run = try Subprocess.run([
        "python3", "-c", script, try directory.write(bytes, to: "in"), directory.path("out"),
    ])
    guard run.ending == .exited(0) else { return nil }
    return FileManager.default.contents(atPath: directory.path("out")).map(Array.init)
}
