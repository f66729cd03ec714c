// SPDX-License-Identifier: Apache-2.0

import EpitaphTestSupport
import EpitaphValues
import Foundation
import Testing

@testable import EpitaphService

/// docs/service.md has every setting, every kind of event and every family of figures, and no other.
@Suite("The page about the service")
struct DocumentedServiceTests {
    let page: String

    init() throws {
        page = try String(
            contentsOfFile: Products.packageRoot + "/docs/service.md", encoding: .utf8)
    }

    /// The rows of the tables whose first cell is a key, with the default in the third.
    private var keyRows: [String] {
        page.components(separatedBy: "\n").filter {
            $0.wholeMatch(of: /\| `[a-z_]+` \|.*\|.*\|.*\|/) != nil
        }
    }

    private func rows<Options>(
        _ keys: [SettingKey<Options>], _ defaults: Options
    ) -> [String] {
        keys.map { key in
            "| `\(key.name)` | \(key.values) | \(key.text(defaults)) | \(key.meaning) |"
        }
    }

    @Test("Its tables of settings are those of the code, with values and defaults")
    func keys() {
        let expected =
            rows(SettingKey<ServiceOptions>.all, ServiceOptions())
            + rows(SettingKey<WatchedOptions>.all, WatchedOptions())
        #expect(keyRows == expected)
    }

    @Test("Each kind of event is on it with its id", arguments: ServiceMessage.allCases)
    func messages(message: ServiceMessage) {
        #expect(page.contains("| `\(message.id)` |"))
    }

    @Test("Each family of figures is on it")
    func families() throws {
        let figures = ServiceFigures()
        for counter in [
            ServiceFigures.Counter.filed(kind: "crash"), .conversionFailed, .sent,
            .sendFailed(reason: "refused"), .removed,
        ] { figures.add(counter, bundleID: "p", in: "/srv/db") }
        var contents = ServiceFigures.Contents()
        contents.reports[.init(program: "p", kind: "crash", state: "sent")] = 1
        contents.oldestWaiting = .distantPast
        contents.lastSuccess = Timestamp(secondsSince1970: 1)
        figures.set(contents, of: "/srv/db")
        let text = figures.text(start: .distantPast, now: .distantPast)
        let names = text.split(separator: "\n").filter { $0.hasPrefix("# TYPE") }.map {
            $0.split(separator: " ")[2]
        }
        #expect(names.count == 13)
        for name in names { #expect(page.contains("`\(name)`"), "\(name)") }
    }
}
