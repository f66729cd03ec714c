// SPDX-License-Identifier: Apache-2.0

import EpitaphTestSupport
import EpitaphValues
import Foundation
import Testing

@testable import EpitaphHTTP
@testable import EpitaphUpload

@Suite("What a report says of itself in its form")
struct ReportFormTests {
    let client = Epitaph.ID("00112233-4455-6677-8899-AABBCCDDEEFF")!

    @Test(
        "The first of a name counts, and our names are ours: the program's own get a prefix"
    )
    func precedence() {
        let form = ReportForm(
            annotations: [
                Annotation(name: "prod", value: "daemon"), Annotation(name: "prod", value: "other"),
                Annotation(name: "guid", value: "mine"),
                Annotation(name: "list_annotations", value: "mine"),
                Annotation(name: "upload_file_minidump", value: "mine"),
                Annotation(name: "message", value: "mine"),
                Annotation(name: "message_2", value: "mine"),
            ],
            messages: [
                CrashMessage(source: "swift", text: "Fatal error: no"),
                CrashMessage(source: "glibc", text: "abort"),
            ], clientID: client)
        #expect(
            form.values == [
                "prod": "daemon", "guid": "00112233-4455-6677-8899-aabbccddeeff",
                "program_guid": "mine", "program_list_annotations": "mine",
                "program_upload_file_minidump": "mine", "program_message": "mine",
                "program_message_2": "mine",
                "list_annotations": "Fatal error: no\nabort", "message": "Fatal error: no",
                "message_2": "abort",
            ])
    }

    @Test("The URL names product, version and client, as far as they are known")
    func urlParameters() {
        let guid = "00112233-4455-6677-8899-aabbccddeeff"
        let full = ReportForm(
            annotations: [
                Annotation(name: "ver", value: "2"), Annotation(name: "prod", value: "d"),
            ],
            clientID: client)
        #expect(full.urlParameters.map(\.name) == ["product", "version", "guid"])
        #expect(full.urlParameters.map(\.value) == ["d", "2", guid])
        #expect(ReportForm(clientID: client).urlParameters.map(\.value) == [guid])
    }

    @Test(
        "A request has the form, its type and, unless told otherwise, gzip and the URL's parameters"
    )
    func request() throws {
        let directory = try TemporaryDirectory()
        let path = try directory.write(Array("MDMP".utf8), to: "dump")
        let uuid = Epitaph.ID("AAAAAAAA-BBBB-CCCC-DDDD-EEEEEEEEEEEE")!
        let form = ReportForm(clientID: client)
        var destination = UploadDestination(try UploadURL("http://host/post"))
        var random = FixedRandom()
        let packed = try destination.request(
            form: form, minidump: BodyFile(opening: path), uuid: uuid, random: &random)
        destination.compression = .none
        destination.identification = .inFormOnly
        random = FixedRandom()
        let plain = try destination.request(
            form: form, minidump: BodyFile(opening: path), uuid: uuid, random: &random)

        #expect(packed.url.text == "http://host/post?guid=00112233-4455-6677-8899-aabbccddeeff")
        #expect(plain.url.text == "http://host/post")
        #expect(packed.headers == plain.headers + [.gzipEncoded])
        #expect(plain.headers.map(\.name) == ["Content-Type"])
        let body = try plain.body.readAll()
        #expect(try gunzipped(try packed.body.readAll()) == body)
        let type = try #require(plain.headers.first?.value)
        let mark = "--" + type.replacing("multipart/form-data; boundary=", with: "")
        #expect(
            String(decoding: body, as: UTF8.self)
                == """
                \(mark)
                Content-Disposition: form-data; name="guid"

                00112233-4455-6677-8899-aabbccddeeff
                \(mark)
                Content-Disposition: form-data; name="upload_file_minidump"; \
                filename="aaaaaaaa-bbbb-cccc-dddd-eeeeeeeeeeee.dmp"
                Content-Type: application/octet-stream

                MDMP
                \(mark)--

                """.replacing("\n", with: "\r\n"))
    }
}
