// SPDX-License-Identifier: Apache-2.0

import EpitaphTestSupport
import EpitaphValues
import Foundation
import Testing

@Suite("The signature of a report that is filed")
struct FiledSignatureTests {
    @Test("It is made when the report is, and is the one that a list would make")
    func filed() throws {
        let sample = try SampleDatabase()
        let id = Epitaph.ID().description
        try sample.leaveDump(Sample.dump(), named: "com.example.d@\(id)")
        try dumpConvertOutput("process", "--database", sample.path)
        let path = "\(sample.path)/signatures/\(id)"
        let filed = try String(contentsOfFile: path, encoding: .utf8)
        #expect(filed.hasPrefix("epitaph-signature "))
        try FileManager.default.removeItem(atPath: path)
        try dumpConvertOutput("list", "--group", "--database", sample.path)
        #expect(try String(contentsOfFile: path, encoding: .utf8) == filed)
    }

    @Test("It goes with its report")
    func deleted() throws {
        let sample = try SampleDatabase()
        let uuid = Epitaph.ID()
        try sample.leaveDump(
            Sample.dump(), named: "com.example.d@\(uuid.description)")
        _ = try dumpConvert("process", "--database", sample.path)
        #expect(try sample.files(in: "signatures").count == 1)
        try sample.database.delete(uuid)
        #expect(try sample.files(in: "signatures") == [])
    }
}
