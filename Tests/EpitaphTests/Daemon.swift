// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport

/// A running example daemon.
struct Daemon {
    let processID: Int32
    let port: UInt16
    /// What it printed before it listened.
    let greeting: String

    init(database: String, in directory: TemporaryDirectory) throws {
        let output = directory.path("daemon-\(UUID().uuidString)")
        processID = try Subprocess.spawn(
            [Products.executable("example-daemon"), "0", database], output: output, error: output)
        let deadline = Date().addingTimeInterval(30)
        while Date() < deadline {
            let text = (try? String(contentsOfFile: output, encoding: .utf8)) ?? ""
            if let range = text.range(of: "listening on port "),
                let end = text[range.upperBound...].firstIndex(of: "\n"),
                let port = UInt16(text[range.upperBound..<end])
            {
                self.port = port
                greeting = String(text[..<range.lowerBound])
                return
            }
            usleep(5_000)
        }
        _ = Subprocess.wait(for: processID, deadlineSeconds: 0)
        throw Silent(output: (try? String(contentsOfFile: output, encoding: .utf8)) ?? "")
    }

    /// Ends it, by force if necessary, and returns how it ended.
    func wait() -> Subprocess.Ending {
        Subprocess.wait(for: processID, deadlineSeconds: 20)
    }

    struct Silent: Error {
        let output: String
    }
}
