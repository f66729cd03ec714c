// SPDX-License-Identifier: Apache-2.0
//
// EpitaphCheck dumps: reads names of dump files from standard input, one a line, and prints for each
// one line: "whole", "usable", or what is missing. Scripts/interrupt-captures asks it about thousands
// of files.

import EpitaphIntermediateDump
import EpitaphTestSupport
import EpitaphValues
import Foundation

enum DumpCheck {
    static func run() {
        while let path = readLine() {
            print(verdict(on: path))
        }
    }

    private static func verdict(on path: String) -> String {
        guard let data = FileManager.default.contents(atPath: path) else { return "no file" }
        do {
            let dump = try IntermediateDump(ByteSlice(Array(data)))
            guard case .crash(let snapshot) = dump.contents else { return "launch record alone" }
            let missing = snapshot.missingForUse
            guard missing.isEmpty else { return "no " + missing.joined(separator: ", no ") }
            return dump.isComplete && snapshot.damage.isEmpty ? "whole" : "usable"
        } catch {
            return "unreadable: \(error)"
        }
    }
}
