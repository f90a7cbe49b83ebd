# frozen_string_literal: true

require "set"

# What a shop takes.
module Shop
  LIMIT = 10
  LOW, high = 1, 2
  VERSION ||= "1"

  class << self
    attr_accessor :config

    def build(name) = new(name)
  end

  class Order < Base::Thing
    include Enumerable

    attr_reader :id, :name
    has_many :items, dependent: :destroy
    validates :name, presence: true
    scope :open, -> { where(closed: false) }
    @count = 0
    @@total = 0

    class Error < StandardError; end

    SQL = <<~SQL.freeze # as agreed
      select 1
    SQL

    Point = Struct.new(:x, :y) do
      def distance
        x + y
      end
    end

    # Not part of it.
    def self.find(id)
      super
    end

    def total(first, second = 2, *rest, key: 1, &block)
      local = 3
      @sum = local
      respond_to :html do
        render
      end
      twice = ->(value) { value * 2 }
      define_method(:inner) { 1 }
      block.call
    end

    def ==(other) = id == other.id

    def name=(value)
      @name = value
    end

    private def hidden
      1
    end

    memoize def self.slow(key)
      key
    end

    define_method(:dynamic) { |value| value }

    alias sum total

    private

    if RUBY_VERSION > "3"
      def later = 1
    else
      def later = 2
    end
  end

  def Order.other; end

  def self.helper
    def inner_helper; end
  end
end

class Shop::Order
  def reopened; end
end

class Shop::Order
  def reopened = 2
end

double = lambda { |value| value * 2 }
$debug = false
Shop::EXTRA = [1, 2].freeze
Rails.config.level = :info

RSpec.describe Shop do
  let(:shop) { Shop.new }

  context "when open" do
    it "sells" do
      total = 1
      expect(total).to eq 1
    end
  end
end

task build: [:deps] do
  sh "make"
end

module Refined
  refine String do
    def shout = upcase
  end
end
