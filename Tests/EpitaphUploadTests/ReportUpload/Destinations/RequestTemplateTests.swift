// SPDX-License-Identifier: Apache-2.0

import EpitaphValues
import Testing

@testable import EpitaphHTTP
@testable import EpitaphUpload

@Suite("Request templates")
struct RequestTemplateTests {
    private func request(
        _ template: RequestTemplate, values: [TemplatePlaceholder: String] = [:]
    ) throws -> UploadRequest {
        try template.request(
            body: StreamedBody([.bytes(ByteSlice([1, 2, 3]))]), type: .text, values: values)
    }

    @Test(
        "Words in braces are filled in, wherever they are in path and query",
        arguments: [
            ("https://host/{file}", "https://host/a%2Fb%3F%20%C3%A4"),
            ("https://host/x?f={file}&v={version}", "https://host/x?f=a%2Fb%3F%20%C3%A4&v=2"),
            ("https://host/{uuid}/{client}/{product}", "https://host/U/C/unknown"),
        ])
    func filling(url: String, expected: String) throws {
        let values: [TemplatePlaceholder: String] = [
            .file: "a/b? ä", .version: "2", .uuid: "U", .client: "C",
        ]
        #expect(try request(RequestTemplate(.put, url: url), values: values).url.text == expected)
    }

    @Test("Headers keep their order and get their values; the type is ours unless given")
    func headers() throws {
        let template = try RequestTemplate(
            .post, url: "https://host/", headers: [("X-B", "{file} {{}}"), ("X-A", "")])
        let made = try request(template, values: [.file: "evil\r\nX-C: 1"])
        #expect(
            made.headers == [
                .contentType(.text), .gzipEncoded, HTTPHeader("X-B", "evil  X-C: 1 {}"),
                HTTPHeader("X-A", ""),
            ])
        let typed = try RequestTemplate(
            .post, url: "https://host/", headers: [("content-TYPE", "application/x-ndjson")])
        #expect(
            try request(typed).headers == [
                .gzipEncoded, HTTPHeader("content-TYPE", "application/x-ndjson"),
            ])
    }

    @Test(
        "A header that cannot be is refused; its value is not repeated",
        arguments: [
            ("", "secret", "name"), ("X Y", "secret", "name"), ("X\r\nY", "secret", "name"),
            ("X", "secret\r\nY: z", "value"), ("X", "{secret}", "value"),
            ("X", "secret{", "value"), ("Content-Length", "secret", "itself"),
            ("transfer-encoding", "secret", "itself"), ("Content-Encoding", "secret", "itself"),
            ("Expect", "secret", "itself"), ("Connection", "secret", "itself"),
        ])
    func badHeaders(name: String, value: String, words: String) {
        let error = #expect(throws: SettingError.self) {
            try RequestTemplate(.put, url: "https://host/", headers: [(name, value)])
        }
        #expect(error?.description.contains(words) == true, "\(String(describing: error))")
        #expect(error?.description.contains("secret") == false)
    }

    @Test("The body is sent as it is without gzip, and decompresses to itself with it")
    func bodies() throws {
        var template = try RequestTemplate(.put, url: "https://host/")
        #expect(try gunzipped(try request(template).body.readAll()) == [1, 2, 3])
        template.compression = .none
        let plain = try request(template)
        #expect(try plain.body.readAll() == [1, 2, 3])
        #expect(plain.headers == [.contentType(.text)])
    }
}
