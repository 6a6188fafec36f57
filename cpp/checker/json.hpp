// A small reader of JSON: numbers stay text until somebody knows what they are.
#pragma once

#include <cstdlib>
#include <map>
#include <string>
#include <vector>

#include "basics.hpp"

namespace checker {

struct Json {
  enum Kind { kNull, kTrue, kFalse, kNumber, kText, kList, kObject };
  Kind kind = kNull;
  std::string text;  // of a number or a text
  std::vector<Json> list;
  std::map<std::string, Json> object;

  bool null() const { return kind == kNull; }
  const Json& at(const std::string& name) const {
    demand(kind == kObject, "the header lacks " + name);
    const auto found = object.find(name);
    demand(found != object.end(), "the header lacks " + name);
    return found->second;
  }
  std::int64_t whole(std::int64_t least, std::int64_t most) const {
    const bool fine = kind == kNumber && text.size() <= 18 &&
                      text.find_first_not_of("0123456789") == std::string::npos;
    demand(fine, "not a whole number: " + text);
    const std::int64_t value = std::strtoll(text.c_str(), nullptr, 10);
    demand(value >= least && value <= most, "a number out of range: " + text);
    return value;
  }
  double real() const {
    demand(kind == kNumber, "not a number");
    return std::strtod(text.c_str(), nullptr);
  }
  Fraction fraction() const {
    demand(kind == kText, "not a fraction");
    return Fraction::read(text);
  }
  // As Python writes it: the name of a class.
  std::string name() const {
    if (kind == kTrue) return "True";
    if (kind == kFalse) return "False";
    demand(kind == kText || kind == kNumber, "a class without a name");
    return text;
  }
};

class JsonReader {
 public:
  explicit JsonReader(const std::string& text) : text_(text) {}
  Json read() {
    Json out = value(0);
    skip();
    demand(at_ == text_.size(), "something follows the header");
    return out;
  }

 private:
  static constexpr int kDeepest = 450;  // nested values: 200 levels of a tree take one each

  void skip() {
    while (at_ < text_.size() && std::string(" \t\r\n").find(text_[at_]) != std::string::npos)
      ++at_;
  }
  char peek() {
    skip();
    demand(at_ < text_.size(), "the header is cut off");
    return text_[at_];
  }
  void take(char c) {
    demand(peek() == c, "the header is damaged");
    ++at_;
  }
  bool takes(char c) {
    const bool here = peek() == c;
    if (here) ++at_;
    return here;
  }
  Json word(const std::string& expected, Json::Kind kind) {
    demand(text_.compare(at_, expected.size(), expected) == 0, "the header is damaged");
    at_ += expected.size();
    return {kind, {}, {}, {}};
  }
  Json value(int depth) {
    demand(depth < kDeepest, "the header is nested too deeply");
    Json out;
    switch (peek()) {
      case 'n':
        return word("null", Json::kNull);
      case 't':
        return word("true", Json::kTrue);
      case 'f':
        return word("false", Json::kFalse);
      case '"':
        out.kind = Json::kText;
        out.text = string();
        return out;
      case '[':
        out.kind = Json::kList;
        take('[');
        if (takes(']')) return out;
        do out.list.push_back(value(depth + 1));
        while (takes(','));
        take(']');
        return out;
      case '{':
        out.kind = Json::kObject;
        take('{');
        if (takes('}')) return out;
        do {
          demand(peek() == '"', "the header is damaged");
          const std::string name = string();
          take(':');
          demand(out.object.emplace(name, value(depth + 1)).second, "a name occurs twice: " + name);
        } while (takes(','));
        take('}');
        return out;
      default:
        break;
    }
    out.kind = Json::kNumber;
    const std::size_t start = at_;
    while (at_ < text_.size() &&
           std::string("+-.0123456789eE").find(text_[at_]) != std::string::npos)
      ++at_;
    out.text = text_.substr(start, at_ - start);
    demand(!out.text.empty(), "the header is damaged");
    return out;
  }
  std::string string() {
    std::string out;
    for (++at_;; ++at_) {
      demand(at_ < text_.size(), "the header is cut off");
      const char c = text_[at_];
      if (c == '"') break;
      if (c != '\\') {
        out += c;
        continue;
      }
      demand(++at_ < text_.size(), "the header is cut off");
      const std::size_t plain = std::string("\"\\/bfnrt").find(text_[at_]);
      if (plain != std::string::npos)
        out += "\"\\/\b\f\n\r\t"[plain];
      else
        escape(out);
    }
    ++at_;
    return out;
  }
  unsigned four() {
    demand(text_[at_] == 'u' && at_ + 4 < text_.size(), "the header is damaged");
    const std::string hex = text_.substr(at_ + 1, 4);
    demand(hex.find_first_not_of("0123456789abcdefABCDEF") == std::string::npos, "damaged");
    at_ += 4;
    return static_cast<unsigned>(std::strtoul(hex.c_str(), nullptr, 16));
  }
  void escape(std::string& out) {
    unsigned code = four();
    if (code >= 0xD800 && code < 0xDC00 && text_.compare(at_ + 1, 2, "\\u") == 0) {
      at_ += 2;
      code = 0x10000 + ((code - 0xD800) << 10) + (four() - 0xDC00);
    }
    if (code < 0x80) {
      out += static_cast<char>(code);
    } else if (code < 0x800) {
      out += static_cast<char>(0xC0 | code >> 6);
      out += static_cast<char>(0x80 | (code & 63));
    } else if (code < 0x10000) {
      out += static_cast<char>(0xE0 | code >> 12);
      out += static_cast<char>(0x80 | (code >> 6 & 63));
      out += static_cast<char>(0x80 | (code & 63));
    } else {
      out += static_cast<char>(0xF0 | (code >> 18 & 7));
      out += static_cast<char>(0x80 | (code >> 12 & 63));
      out += static_cast<char>(0x80 | (code >> 6 & 63));
      out += static_cast<char>(0x80 | (code & 63));
    }
  }

  const std::string& text_;
  std::size_t at_ = 0;
};

}  // namespace checker
